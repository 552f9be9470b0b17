import { html } from 'lit';
import { defaultConfiguration, tablesFor } from '../../../src/app/address/pageTables.ts';
import '../../../src/app/controls/controlsPanel.ts';
import '../../../src/app/controls/parameterControl.ts';
import '../../../src/app/controls/ruleMenu.ts';
import '../../../src/app/controls/ruleSwitch.ts';
import '../../../src/app/controls/transport.ts';
import type { Parameter } from '../../../src/parameters/parameters.ts';
import type { EnvironmentName } from '../../../src/training/data/configuration.ts';
import type { Status } from '../../../src/training/data/protocol.ts';
import { change, LONG_NAME, runOf } from '../runs.ts';
import { type Specimen, type Specimens, unfold } from '../specimen.ts';

/** Parameter with all fields and with longer names than any parameter of the product. */
const LONG: Parameter = {
  ...{ kind: 'number', name: 'long', label: `Label of ${LONG_NAME}`, symbol: 'x_max', default: 1, min: 0, max: 1e9 },
  ...{ step: 1, integer: true, scale: 'linear', help: `A long sentence that names ${LONG_NAME}.` },
};
const CHOICE: Parameter = {
  ...{
    kind: 'choice',
    name: 'choice',
    label: 'Normalisation',
    default: 'group',
    options: ['group', 'batch', LONG_NAME],
  },
  help: 'Divisor of the advantages.',
};
const LIST: Parameter = {
  ...{ kind: 'list', name: 'list', label: 'Programs per level', default: '4/8', max: 16, maximum: 4 },
  help: 'Number of programs that continue each turn.',
};

const parameter = (definition: Parameter, value: number | string, explained = false) =>
  html`<tw-parameter .parameter=${definition} .value=${value} ?explained=${explained}></tw-parameter>`;

const rate = tablesFor('search').training.find(({ name }) => name === 'learningRate') as Parameter;

function panel(environment: EnvironmentName, rule: string) {
  const { controls, settings } = defaultConfiguration(environment);
  return html`<tw-controls .environment=${environment} .values=${{ ...controls, rule }} .settings=${settings}></tw-controls>`;
}

const transport = (status: Status) => html`<tw-transport .status=${status} seed="7"></tw-transport>`;

/** Creates a run whose schedule changes the rule at step 60. */
function plannedRun(rule: string, isManual = false) {
  const schedule = [{ step: 60, changes: { rule } }];
  const configuration = { ...defaultConfiguration('repair'), schedule };
  return runOf('repair', { configuration, events: isManual ? [change(3, { rule: 'verpo' })] : [] });
}

function plan(run: ReturnType<typeof runOf>) {
  return html`<tw-rule-plan .planned=${run.planned} .appliedEvents=${run.appliedEvents}></tw-rule-plan>`;
}

const warm = (stage: string, missed?: string): Specimen['content'] => {
  const progress = { stage, number: 2, stages: 3, step: 49, steps: 200, left: 750, loss: 0.4213, missed };
  return () => html`<tw-warm-start .progress=${progress}></tw-warm-start>`;
};

export const CONTROLS: Specimens = {
  'tw-controls': [
    { state: 'usual', content: () => panel('search', 'mt-grpo') },
    { state: 'full', note: 'everything unfolded', content: () => panel('repo', 'rtmc'), act: unfold },
  ],
  'tw-parameter': [
    { state: 'usual', note: 'a number', content: () => parameter(rate, rate.default) },
    { state: 'usual', note: 'a choice', content: () => parameter(CHOICE, 'batch') },
    { state: 'usual', note: 'a list', content: () => parameter(LIST, '2/3/4') },
    { state: 'full', content: () => parameter(LONG, 123_456_789, true) },
  ],
  'tw-rule-menu': [
    { state: 'usual', content: () => html`<tw-rule-menu environment="search" rule="rloo"></tw-rule-menu>` },
  ],
  'tw-rule-plan': [
    { state: 'usual', content: () => plan(plannedRun('murphy-mars')) },
    { state: 'full', note: 'scheduled after a manual rule', content: () => plan(plannedRun(LONG_NAME, true)) },
    { state: 'empty', note: 'no scheduled change', content: () => plan(runOf('repair')) },
  ],
  'tw-rule-switch': [
    { state: 'usual', content: () => html`<tw-rule-switch environment="search" rule="mt-grpo"></tw-rule-switch>` },
    {
      state: 'full',
      note: 'a rule that has no separate button',
      content: () => html`<tw-rule-switch environment="repair" rule="murphy-mers"></tw-rule-switch>`,
    },
  ],
  'tw-transport': [
    { state: 'usual', note: 'playing', content: () => transport('playing') },
    { state: 'usual', note: 'paused', content: () => transport('paused') },
    { state: 'disabled', note: 'loading', content: () => transport('loading') },
    { state: 'error', note: 'stopped', content: () => transport('stopped') },
  ],
  'tw-warm-start': [
    { state: 'usual', content: warm('tools') },
    { state: 'full', content: warm(LONG_NAME, 'learned to read a document') },
    { state: 'empty', content: () => html`<tw-warm-start></tw-warm-start>` },
  ],
};
