import { html } from 'lit';
import { CHARTS } from '../../../src/app/curves/chartDefinitions.ts';
import type { Mark } from '../../../src/app/curves/chartMarks.ts';
import '../../../src/app/curves/chartExports.ts';
import '../../../src/app/curves/curves.ts';
import '../../../src/app/curves/slowDevice.ts';
import '../../../src/app/curves/lineChart.ts';
import '../../../src/app/glossary/panelGlossary.ts';
import type { Metrics } from '../../../src/training/data/protocol.ts';
import { change, LONG_NAME, learning, MANY_CHANGES, runOf } from '../runs.ts';
import { press, type Specimens } from '../specimen.ts';

const { main, small } = CHARTS.search;
/** Small chart whose metrics all runs report. */
const CALLS = small.find(({ id }) => id === 'calls') ?? main;
const SHORT = learning(60);
const LONG = learning(3000);

const mark = (step: number, label: string, rule: boolean, planned = false): Mark => ({
  ...{ step, label, short: rule ? label : '', text: `Before step ${step}: ${label}`, rule, planned },
});
const MARKS = [mark(20, 'GRPO-OR', true), mark(40, 'Learning rate 0.002', false), mark(70, 'MT-GRPO', true, true)];
const MANY_MARKS = Array.from({ length: 30 }, (_, index) =>
  mark(100 * index + 50, index % 5 ? 'MT-GRPO' : LONG_NAME, index % 3 === 0),
);

function chart(metrics: readonly Metrics[], marks: readonly Mark[], large: boolean, definition = large ? main : CALLS) {
  const downsampled = metrics === LONG ? { every: 4, before: 1500 } : undefined;
  return html`<tw-line-chart .chart=${definition} .metrics=${metrics} .marks=${marks} .downsampled=${downsampled} ?large=${large}
    .noPoint=${'No update yet.'}></tw-line-chart>`;
}

const table = (metrics: readonly Metrics[], marks: readonly Mark[]) =>
  html`<tw-chart-table .chart=${main} .metrics=${metrics} .marks=${marks}></tw-chart-table>`;

const panel = (run: ReturnType<typeof runOf>) => html`<tw-curves .run=${run}></tw-curves>`;

const slow = (stepMs: number) =>
  html`<tw-slow-device .run=${runOf('search', { metrics: learning(5).map((row) => ({ ...row, stepMs })) })}></tw-slow-device>`;

export const CURVES: Specimens = {
  'tw-line-chart': [
    { state: 'usual', note: 'large', content: () => chart(SHORT, MARKS, true) },
    { state: 'usual', note: 'small', content: () => chart(SHORT, MARKS, false) },
    {
      state: 'usual',
      note: 'pointed at',
      content: () => html`<tw-line-chart .chart=${main} .metrics=${SHORT} large cursor="30"></tw-line-chart>`,
    },
    {
      state: 'full',
      note: 'a long run with many changes, its table open',
      content: () => chart(LONG, MANY_MARKS, true),
      act: press('button[aria-expanded="false"]'),
    },
    { state: 'empty', content: () => chart([], [], true) },
  ],
  'tw-chart-table': [
    { state: 'usual', content: () => table(SHORT.slice(0, 12), MARKS) },
    { state: 'full', content: () => table(LONG, MANY_MARKS) },
    { state: 'empty', content: () => table([], []) },
  ],
  'tw-slow-device': [
    { state: 'usual', content: () => slow(700) },
    { state: 'empty', note: 'a fast device', content: () => slow(40) },
  ],
  'tw-curves': [
    {
      state: 'usual',
      content: () => panel(runOf('search', { metrics: SHORT, events: [change(20, { rule: 'grpo-or' })] })),
    },
    { state: 'full', content: () => panel(runOf('search', { metrics: learning(120), events: MANY_CHANGES })) },
    { state: 'empty', content: () => panel(runOf('repair')) },
  ],
};
