import { html } from 'lit';
import '../../../src/app/lanes/lanesBar.ts';
import '../../../src/app/lanes/seedPanel.ts';
import type { SeedSeries } from '../../../src/app/runs/trainingQueue.ts';
import '../../../src/app/lanes/severalRuns.ts';
import { change, LONG_NAME, learning, runOf } from '../runs.ts';
import { type Specimens, unfold } from '../specimen.ts';

const metrics = learning(40);
const fork = (rule: string, step = 12) => runOf('search', { metrics, events: [change(step, { rule })] });
const bar = (runs: readonly ReturnType<typeof runOf>[], displayed = 0) =>
  html`<tw-lanes .runs=${runs} .selectedIndex=${displayed}></tw-lanes>`;
const several = (rule: string, hasCapacity = true) =>
  html`<tw-several-runs .rule=${rule} ?hascapacity=${hasCapacity}></tw-several-runs>`;

/** Renders a series of five seeds in which `done` seeds are finished and the next is at step 12. */
function seeds(done: number, parts: Partial<SeedSeries> = {}) {
  const runs = Array.from({ length: Math.min(5, done + 1) }, (_, index) => ({
    seed: index + 1,
    metrics: learning(40)
      .map((row) => ({ ...row, toolUse: Math.min(1, row.toolUse ?? 0) * (1 - index / 12) }))
      .slice(0, index < done ? 40 : 12),
    done: index < done,
  }));
  const series = {
    ...{ seeds: runs, count: 5, steps: 40, finished: done, running: done < 5, left: 93_000, problem: undefined },
    updates: { all: 5 * 40, done: runs.reduce((sum, { metrics }) => sum + metrics.length, 0) },
    ...{ configuration: runOf('search').configuration, ...parts },
  } as unknown as SeedSeries;
  return html`<tw-seeds .series=${series}></tw-seeds>`;
}

export const LANES: Specimens = {
  'tw-lanes': [
    { state: 'usual', content: () => bar([fork('mt-grpo'), fork('grpo-or')], 1) },
    {
      state: 'full',
      content: () =>
        bar([
          fork('mt-grpo'),
          runOf('search', {
            metrics,
            events: ['grpo-or', 'mt-grpo', 'grpo-mr'].map((rule, at) => change(9 * at + 9, { rule })),
          }),
          runOf('search', { metrics, events: [change(20, { learningRate: 0.002, klCoef: 0.25 })] }),
          fork('rloo', 31),
        ]),
    },
  ],
  'tw-seeds': [
    { state: 'usual', content: () => seeds(3) },
    { state: 'usual', note: 'done', content: () => seeds(5) },
    { state: 'empty', content: () => seeds(0, { runs: [], left: undefined }) },
    {
      state: 'error',
      content: () => seeds(1, { running: false, problem: `The GPU has no memory left. ${LONG_NAME}` }),
    },
  ],
  'tw-several-runs': [
    { state: 'usual', content: () => several('mt-grpo') },
    { state: 'usual', note: 'open', content: () => several('mt-grpo'), act: unfold },
    { state: 'disabled', note: 'four runs train', content: () => several('rtmc', false), act: unfold },
  ],
};
