import type { MeasuredBy } from '../../environments/descriptor.ts';
import type { RegisteredEnvironment } from '../../environments/registry.ts';
import { LAST, RADIUS } from '../statistics.ts';
import { TIMES } from './columns.ts';
import type { ComparedEnvironment, Measure, SpreadColumn } from './compared.ts';
import type { ComparisonPlan } from './findings.ts';
import { evaluateRepair, evaluateRepo, type HeldOutOptions } from './heldOutEvaluation.ts';
import { evaluate, evaluateFacts } from './rates.ts';

/** Attempts of an evaluation by refinement. */
const ITERATIONS = 3;
/** Episodes of each held-out problem, unless the environment or a person says otherwise. */
const SAMPLES = 4;

/** How the policies of a comparison are measured, and what there is to say of that. */
export interface Measuring
  extends Pick<ComparedEnvironment, 'measuring' | 'ownSampling' | 'baseOnce' | 'measureBase' | 'measure'> {
  /** Columns of every such comparison, after those of the environment. */
  readonly columns: readonly SpreadColumn[];
  /** What holds of every such comparison, before and after what the environment says. */
  readonly before: (plan: ComparisonPlan) => readonly string[];
  readonly after: readonly string[];
}

const DRAWN = { ownSampling: false, columns: [], after: [] } as const;

/** By what an environment says of itself (EnvironmentDescriptor.measuredBy). */
export const MEASURINGS: Readonly<
  Record<MeasuredBy, (environment: RegisteredEnvironment, samples: number | undefined) => Measuring>
> = {
  rates: () => ({
    ...DRAWN,
    measuring: {
      heldOut: { help: 'Held-out questions to ask each trained policy.', min: 1, max: 100_000, default: 512 },
      base: { help: 'Training questions to ask each warm start.', min: 1, max: 100_000, default: 1024 },
    },
    baseOnce: true,
    measureBase: ratesOn('train', 'base'),
    measure: ratesOn('held-out', 'heldOut'),
    before: (plan) => [
      `Shares of rollouts, means over the seeds; ${plan.steps} updates a run, ${startNote(plan)}, and the arms of a seed ` +
        'differ in what their names say alone.',
      `A value at a step is the mean over the ${RADIUS} updates on either side of it too, at step 0 of the first batch ` +
        `alone, at the end of the last ${LAST} updates.`,
    ],
  }),
  facts({ heldOut }) {
    const split = heldOut.length > 0 ? 'held-out' : 'train';
    const measure: Measure = (trainer, { measuring }, signal) =>
      evaluateFacts(trainer, measuring.episodes, split, signal);
    return {
      ...DRAWN,
      measuring: { episodes: { help: 'Episodes to measure each policy on.', min: 1, max: 100_000, default: 512 } },
      baseOnce: false,
      measureBase: measure,
      measure,
      before: (plan) => [
        spreadNote(plan),
        `Measured: ${plan.measuring.episodes} episodes without learning, after the last update, ` +
          `${split === 'train' ? 'of the same tasks, because there are no others' : 'of held-out tasks'}. ` +
          `Training: mean over the last ${LAST} updates.`,
      ],
    };
  },
  refinement: (_, samples) =>
    byProblem(samples, async (trainer, plan, signal) => {
      const options = { ...heldOutOptions(plan, signal), iterations: ITERATIONS, feedback: 'true' } as const;
      const { episodes, iterations, repairRate, partial, none } = await evaluateRepair(trainer, options);
      const each = iterations.map((share, index) => [`iter${index + 1}`, share] as const);
      return { episodes, ...Object.fromEntries(each), repairRate, partial, none };
    }),
  sharing: (_, samples) =>
    byProblem(samples, async (trainer, plan, signal) => {
      const { tasks: _, ...measured } = await evaluateRepo(trainer, heldOutOptions(plan, signal));
      return measured;
    }),
};

function ratesOn(split: 'train' | 'held-out', amount: 'base' | 'heldOut'): Measure {
  return async (trainer, { measuring }, signal) => ({ ...(await evaluate(trainer, measuring[amount], split, signal)) });
}

/** Episodes of the held-out problems, where programs run. */
function byProblem(samples = SAMPLES, measure: Measure): Measuring {
  return {
    measuring: {
      samples: { help: 'Episodes of each held-out problem.', min: 1, max: 1_000, default: samples },
      problems: { help: 'Held-out problems, the first ones; 0 for all.', min: 0, max: 10_000, default: 0 },
    },
    ownSampling: true,
    baseOnce: false,
    measureBase: measure,
    measure,
    columns: TIMES,
    before: (plan) => [spreadNote(plan), heldOutNote(plan)],
    after: [
      'Retained: turns that the update computed. Times are those of the clock: of one machine and what else it did; executing ' +
        'is the wait for programs.',
    ],
  };
}

/** What a plan asks for, as an evaluation takes it. */
function heldOutOptions({ measuring }: ComparisonPlan, signal: AbortSignal | undefined): HeldOutOptions {
  const { samples, problems, temperature, topP, topK } = measuring;
  return {
    split: 'held-out',
    samples,
    sampling: { temperature, topP, topK },
    ...(problems > 0 ? { tasks: problems } : {}),
    ...(signal ? { signal } : {}),
  };
}

function startNote({ freshWarmStart, worlds }: ComparisonPlan): string {
  if (freshWarmStart) return 'each seed has a warm start of its own';
  if (worlds > 1) return `the seeds take turns in ${worlds} worlds with warm starts of their own`;
  return 'all start from one warm start';
}

function spreadNote(plan: ComparisonPlan): string {
  return (
    `Mean ± sample deviation over seeds, ${plan.steps} updates a run; ${startNote(plan)}. The arms of a seed differ in what ` +
    'their names say alone.'
  );
}

function heldOutNote({ measuring }: ComparisonPlan): string {
  const { samples, problems, temperature, topP } = measuring;
  const which = problems > 0 ? ` (the first ${problems})` : '';
  return (
    `Held-out problems${which}, ${samples} ${samples === 1 ? 'episode' : 'episodes'} each, temperature ${temperature}, ` +
    `top-p ${topP}; the base with the draws of each seed.`
  );
}
