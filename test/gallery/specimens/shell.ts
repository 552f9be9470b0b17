import { html } from 'lit';
import { defaultConfiguration } from '../../../src/app/address/pageTables.ts';
import { DEFAULT_VIEW, type View } from '../../../src/app/address/url.ts';
import '../../../src/app/shell/pageHeader.ts';
import '../../../src/app/shell/settingsPanels.ts';
import '../../../src/app/shell/sharePanel.ts';
import '../../../src/app/shell/viewLinks.ts';
import '../../../src/app/shell/inspectHead.ts';
import '../../../src/app/shell/notices.ts';
import { targetsOf } from '../../../src/app/shell/targets.ts';
import '../../../src/app/shell/settings.ts';
import type { EnvironmentName } from '../../../src/training/data/configuration.ts';
import type { DeviceDescription, Problem, Status } from '../../../src/training/data/protocol.ts';
import { metricsOf } from '../../unit/app/appFixtures.ts';
import { LONG_NAME, runOf } from '../runs.ts';
import { type Specimens, unfold } from '../specimen.ts';

const search = defaultConfiguration('search');
const long = { ...search, schedule: [10, 20, 30].map((step) => ({ step, changes: { rule: 'grpo-or' } })) };
const minimal: View = { ...DEFAULT_VIEW, panels: ['chart', 'group'] };

const device = (
  description: DeviceDescription | undefined,
) => html`<tw-device-line status="paused" .device=${description}
  .latest=${description && metricsOf(12, { tokensPerSecond: 21_000 })} .stepsPerSecond=${description && 3.2}></tw-device-line>`;

const experiments = (environment: EnvironmentName, active: string) =>
  html`<tw-experiments .environment=${environment} .active=${active} .link=${defaultConfiguration(environment)}></tw-experiments>`;

function header(status: Status, rule: string, environment: EnvironmentName = 'search') {
  const configuration = {
    ...defaultConfiguration(environment),
    schedule: [{ step: 60, changes: { rule: 'grpo-or' } }],
  };
  const { planned, appliedEvents } = runOf(environment, { configuration });
  return html`<tw-page-header .status=${status} .step=${1234} .environment=${environment} .rule=${rule}
    .planned=${status === 'playing' ? planned : []} .appliedEvents=${appliedEvents} .targets=${targetsOf(DEFAULT_VIEW)}></tw-page-header>`;
}

const settings = () => {
  const run = runOf('search');
  return html`<tw-settings .run=${run} .selected=${run}></tw-settings>`;
};

const share = (view: View, answer?: { text: string; failed: boolean }) =>
  html`<tw-share .view=${view} .configuration=${search} .answer=${answer}></tw-share>`;

const notices = (texts: readonly string[]) => html`<tw-notices .notices=${texts}></tw-notices>`;

const lost: Problem = {
  ...{ kind: 'device-lost', step: 40, recovery: 'automatic' },
  message: 'The GPU device was lost. The run continues from step 38.',
};
const stopped: Problem = {
  ...{ kind: 'non-finite', step: 41, recovery: 'last-checkpoint' },
  message: `A value in ${LONG_NAME} is not finite.`,
};
const problems = (...entries: Problem[]) =>
  html`<tw-problems .problems=${entries} .checkpointStep=${38}></tw-problems>`;

export const SHELL: Specimens = {
  'tw-contents': [
    { state: 'usual', content: () => html`<tw-contents .targets=${targetsOf(DEFAULT_VIEW)}></tw-contents>` },
    { state: 'empty', content: () => html`<tw-contents></tw-contents>` },
  ],
  'tw-device-line': [
    { state: 'usual', content: () => device({ engine: 'wgsl', name: 'apple metal-3', software: false }) },
    {
      state: 'usual',
      note: 'the processor',
      content: () => device({ engine: 'exact/1', name: 'exact/1', software: false }),
    },
    { state: 'full', content: () => device({ engine: 'wgsl', name: LONG_NAME, software: true }) },
    { state: 'empty', content: () => device(undefined) },
  ],
  'tw-embed-code': [
    {
      state: 'usual',
      content: () => html`<tw-embed-code .view=${DEFAULT_VIEW} .configuration=${search}></tw-embed-code>`,
    },
    {
      state: 'full',
      note: 'unfolded',
      content: () => html`<tw-embed-code .view=${minimal} .configuration=${long}></tw-embed-code>`,
      act: unfold,
    },
  ],
  'tw-experiments': [{ state: 'usual', content: () => experiments('search', 'mt-grpo') }],
  'tw-full-page': [{ state: 'usual', content: () => html`<tw-full-page .configuration=${search}></tw-full-page>` }],
  'tw-no-engine': [{ state: 'usual', content: () => html`<tw-no-engine></tw-no-engine>`, act: unfold }],
  'tw-notices': [
    { state: 'usual', content: () => notices(['seed: “x” is not an integer; 1 is used.']) },
    { state: 'full', content: () => notices([1, 2, 3, 4, 5, 6, 7, 8].map((number) => `${number}: ${LONG_NAME}`)) },
    { state: 'empty', content: () => notices([]) },
  ],
  'tw-page-header': [
    { state: 'usual', content: () => header('playing', 'mt-grpo') },
    {
      state: 'full',
      note: 'a rule that has no separate button',
      content: () => header('paused', 'murphy-mers', 'repair'),
    },
    { state: 'error', note: 'stopped', content: () => header('stopped', 'rtmc', 'repo') },
  ],
  'tw-inspect-head': [
    { state: 'usual', content: () => html`<tw-inspect-head status="playing" .step=${12}></tw-inspect-head>` },
    { state: 'empty', content: () => html`<tw-inspect-head></tw-inspect-head>` },
    { state: 'full', content: () => html`<tw-inspect-head status="paused" .step=${120_000}></tw-inspect-head>` },
  ],
  'tw-places': [{ state: 'usual', content: () => html`<tw-places view="learn"></tw-places>` }],
  'tw-problems': [
    { state: 'empty', content: () => problems() },
    { state: 'usual', content: () => problems(lost) },
    { state: 'full', content: () => problems(lost, stopped) },
  ],
  'tw-share': [
    { state: 'usual', content: () => share(DEFAULT_VIEW) },
    {
      state: 'full',
      note: 'some panels, and an answer',
      content: () => share(minimal, { text: 'Link copied.', failed: false }),
    },
    { state: 'error', content: () => share(minimal, { text: `The browser refused: ${LONG_NAME}.`, failed: true }) },
  ],
  'tw-settings': [
    { state: 'usual', content: () => settings() },
    { state: 'full', note: 'open', content: () => settings(), onDemand: 'it covers the other specimens' },
  ],
};
