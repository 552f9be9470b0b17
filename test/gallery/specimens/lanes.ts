import { html } from 'lit';
import '../../../src/app/lanes/lanesBar.ts';
import '../../../src/app/lanes/severalRuns.ts';
import { change, learning, runOf } from '../runs.ts';
import { type Specimens, unfold } from '../specimen.ts';

const metrics = learning(40);
const fork = (rule: string, step = 12) => runOf('search', { metrics, events: [change(step, { rule })] });
const bar = (runs: readonly ReturnType<typeof runOf>[], shown = 0) =>
  html`<tw-lanes .runs=${runs} .shown=${shown}></tw-lanes>`;
const several = (rule: string, room = true) => html`<tw-several-runs .rule=${rule} ?room=${room}></tw-several-runs>`;

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
  'tw-several-runs': [
    { state: 'usual', content: () => several('mt-grpo') },
    { state: 'usual', note: 'open', content: () => several('mt-grpo'), act: unfold },
    { state: 'disabled', note: 'four runs train', content: () => several('rtmc', false), act: unfold },
  ],
};
