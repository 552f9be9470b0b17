import { html } from 'lit';
import '../../../src/app/look/answers.ts';
import '../../../src/app/look/themeSwitch.ts';
import '../../../src/app/runs/eventLog.ts';
import '../../../src/app/runs/runList.ts';
import type { Detection } from '../../../src/experiments/detectors.ts';
import type { RunSummary } from '../../../src/storage/runStore.ts';
import { change, LONG_NAME, MANY_CHANGES, runOf } from '../runs.ts';
import type { Specimens } from '../specimen.ts';

const summary = (index: number, name = `MT-GRPO, seed ${index}`): RunSummary => ({
  ...{ id: `run ${index}`, name, link: '?v=1', step: 40 * index, savedAt: Date.UTC(2026, 0, 2 + index), bytes: 1.4e6 },
});
const list = (runs: readonly RunSummary[]) => html`<tw-run-list .runs=${runs} current="run 2"></tw-run-list>`;
const log = (events: typeof MANY_CHANGES, detected: readonly Detection[] = []) =>
  html`<tw-event-log .appliedEvents=${runOf('repair', { events }).appliedEvents} .detected=${detected}></tw-event-log>`;
const detected: readonly Detection[] = [
  {
    step: 20,
    name: 'ties',
    text: 'Tied groups: 95 % of the groups have equal rewards and give no signal.',
    rule: 'verpo',
  },
  { step: 31, name: 'diverging', text: 'Diverging: 4.2 nats per token from the starting policy.' },
];

const rejection = { text: `The browser rejected the request: ${LONG_NAME}.`, failed: true };

export const THEME: Specimens = {
  'tw-answer': [
    {
      state: 'usual',
      content: () => html`<tw-answer .answer=${{ text: 'Link copied.', failed: false }}></tw-answer>`,
    },
    { state: 'empty', content: () => html`<tw-answer></tw-answer>` },
    { state: 'error', content: () => html`<tw-answer .answer=${rejection}></tw-answer>` },
  ],
  'tw-theme-switch': [{ state: 'usual', content: () => html`<tw-theme-switch></tw-theme-switch>` }],
};

export const RUNS: Specimens = {
  'tw-event-log': [
    { state: 'usual', content: () => log([change(12, { rule: 'verpo' }), change(30, { learningRate: 0.002 })]) },
    { state: 'usual', note: 'detected events', content: () => log([change(12, { rule: 'verpo' })], detected) },
    { state: 'full', content: () => log(MANY_CHANGES) },
    { state: 'empty', content: () => log([]) },
  ],
  'tw-run-list': [
    { state: 'usual', content: () => list([summary(1), summary(2)]) },
    {
      state: 'full',
      content: () => list(Array.from({ length: 12 }, (_, index) => summary(index, index % 4 ? undefined : LONG_NAME))),
    },
    { state: 'empty', content: () => list([]) },
    {
      state: 'error',
      note: 'the current run was deleted, and a file was rejected',
      content: () => html`<tw-run-list .runs=${[summary(1)]} isunsaved .answer=${rejection}></tw-run-list>`,
    },
  ],
};
