import type { Measure } from './compared.ts';
import type { ComparisonPlan } from './findings.ts';
import type { HeldOutOptions } from './heldOutEvaluation.ts';

// What comparisons in the environments that run programs measure alike: episodes of the held-out problems.

/** What is alike wherever policies are measured so. @param samples of a problem, unless told otherwise */
export function heldOutCompared(measure: Measure, samples: number) {
  return {
    measuring: {
      samples: { help: 'Episodes of each held-out problem.', min: 1, max: 1_000, default: samples },
      problems: { help: 'Held-out problems, the first ones; 0 for all.', min: 0, max: 10_000, default: 0 },
    },
    ownSampling: true,
    baseOnce: false,
    freshWarmStart: false,
    measureBase: measure,
    measure,
  };
}

/** How arms of few tasks an update are drawn. */
export const FEW_TASKS = { window: 9, titles: false, styles: {} };

/** What a plan asks for, as an evaluation takes it. */
export function heldOutOptions({ measuring }: ComparisonPlan, signal: AbortSignal | undefined): HeldOutOptions {
  const { samples, problems, temperature, topP, topK } = measuring;
  return {
    split: 'held-out',
    samples,
    sampling: { temperature, topP, topK },
    ...(problems > 0 ? { tasks: problems } : {}),
    ...(signal ? { signal } : {}),
  };
}

export function spreadNote({ steps }: ComparisonPlan): string {
  return (
    `Mean ± sample deviation over seeds, ${steps} updates a run. All runs start from the same policy; the arms of a ` +
    'seed differ in what their names say alone.'
  );
}

export function heldOutNote({ measuring }: ComparisonPlan): string {
  const { samples, problems, temperature, topP } = measuring;
  const which = problems > 0 ? ` (the first ${problems})` : '';
  return (
    `Held-out problems${which}, ${samples} ${samples === 1 ? 'episode' : 'episodes'} each, temperature ${temperature}, ` +
    `top-p ${topP}; the base with the draws of each seed.`
  );
}

export const TIMES_NOTE =
  'Retained: turns that the update computed. Times are those of the clock: of one machine and what else it did; executing ' +
  'is the wait for programs.';
