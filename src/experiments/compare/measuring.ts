import type { MeasuredBy } from '../../environments/descriptor.ts';
import type { RegisteredEnvironment } from '../../environments/registry.ts';
import {
  EASY_FROM,
  evaluate,
  evaluateFacts,
  type HeldOutOptions,
  MEDIUM_FROM,
  STRATA,
  type Stratum,
} from '../evaluation/heldOut.ts';
import { difficulties, evaluateRepair } from '../evaluation/repairEvaluation.ts';
import { evaluateRepo, majorityOf, problemDifficulties, quadrants } from '../evaluation/repoEvaluation.ts';
import { SCAFFOLD_BUDGET, scaffoldsMeasured } from '../scaffolds/evaluateScaffolds.ts';
import { LAST, mean, RADIUS } from '../statistics.ts';
import {
  type Measure,
  type Measuring,
  measuredColumn,
  type OptionalMeasurement,
  type StatisticsColumn,
  TIMES,
} from './compared.ts';
import type { ComparisonPlan } from './findings.ts';
import { VISITS, visitsMeasured } from './visitMeasure.ts';

/** Default number of attempts of a refinement evaluation. */
const ITERATIONS = 3;
/** Default number of episodes per held-out problem, if the environment declares no other. */
const SAMPLES = 4;

/** Measurement with its columns and notes. */
interface DescribedMeasuring extends Measuring {
  /** Columns of all comparisons with this measurement, after the columns of the environment. */
  readonly columns: (plan: ComparisonPlan) => readonly StatisticsColumn[];
  /** Notes before and after the notes of the environment. */
  readonly before: (plan: ComparisonPlan) => readonly string[];
  readonly after: readonly string[];
}

const DRAWN = { separateSampling: false, columns: () => [], after: [] } as const;

/** Measurement for each kind that an environment can declare (EnvironmentDescriptor.measuredBy). */
export const MEASURINGS: Readonly<
  Record<MeasuredBy, (environment: RegisteredEnvironment, samples: number | undefined) => DescribedMeasuring>
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
      `Shares of rollouts, means over the seeds; ${plan.steps} updates per run, ${startNote(plan)}, and the arms of a seed ` +
        'differ only in the settings in their names.',
      `A value at a step is the mean over the step and ${RADIUS} updates on either side; at step 0 it is the value of the first ` +
        `batch, and at the end the mean over the last ${LAST} updates.`,
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
        describeDeviation(plan),
        `Measured: ${plan.measuring.episodes} episodes without learning, after the last update, ` +
          `${split === 'train' ? 'of the same tasks, because there are no others' : 'of held-out tasks'}. ` +
          `Training: mean over the last ${LAST} updates.`,
      ],
    };
  },
  refinement: (_, samples) => ({
    ...withOptions(byProblem(samples, refined), REFINEMENT),
    strata: async (trainer, plan, signal) => {
      const { strata: programs = 0, budget = 0 } = plan.measuring;
      // The plan is rejected before any run is trained.
      if (budget > 0 && plan.settings.verification === 'written') {
        throw new RangeError('budget: scaffolds need visible tests, and with verification=written no test is shown');
      }
      return programs > 0
        ? difficulties(trainer.measurer, { ...heldOutOptions(plan, signal), samples: programs })
        : undefined;
    },
  }),
  sharing: (_, samples) => ({
    ...withOptions(byProblem(samples, solvedProblems), PROBLEMS),
    strata: async (trainer, plan, signal) => {
      const { strata: episodes = 0, majority = 0, samples: each } = plan.measuring;
      // The plan is rejected before any run is trained.
      if (majority > 0) majorityOf(each, 0, majority);
      if (episodes === 0) return undefined;
      return problemDifficulties(trainer.measurer, { ...heldOutOptions(plan, signal), samples: episodes });
    },
  }),
};

type Options = Readonly<Record<string, OptionalMeasurement>>;

/** Adds optional measurements, with their columns and notes in the order of the options. */
function withOptions(usual: DescribedMeasuring, options: Options): DescribedMeasuring {
  const requested = <Part>(
    { measuring }: ComparisonPlan,
    of: (option: OptionalMeasurement, amount: number) => Part[],
  ) => Object.entries(options).flatMap(([name, option]) => (measuring[name] > 0 ? of(option, measuring[name]) : []));
  const amounts = Object.entries(options).map(([name, { amount }]) => [name, amount]);
  return {
    ...usual,
    measuring: { ...usual.measuring, ...Object.fromEntries(amounts) },
    columns: (plan) => [...requested(plan, ({ columns }, amount) => [...columns(amount, plan)]), ...TIMES],
    before: (plan) => [
      ...usual.before(plan),
      ...requested(plan, ({ note }, amount) => (note ? [note(amount, plan)] : [])),
    ],
  };
}

/** Additional measurements of agents. */
const PROBLEMS: Options = {
  majority: {
    amount: {
      help: 'Also the share of problems that a majority of this many episodes solves, an odd number up to --samples; 0: off.',
      ...{ min: 0, max: 99, default: 0 },
    },
    columns: (votes) => [measuredColumn('majority', `majority of ${votes}`, 'percent')],
  },
  strata: {
    amount: {
      help:
        'Classify problems by difficulty with this many episodes of the warm start for each, sampled before training, and ' +
        'report which solved problems are lost; 0: off.',
      ...{ min: 0, max: 256, default: 0 },
    },
    columns: () => [
      ...STRATA.flatMap((stratum) => [
        measuredColumn(`problems:${stratum}`, `${stratum} problems`, 'number'),
        measuredColumn(`solved:${stratum}`, `pass@1, ${stratum}`, 'percent'),
      ]),
      measuredColumn('lost', 'lost', 'percent'),
    ],
    note: (episodes) =>
      `Hard are problems that the warm start solves in fewer than ${percent(MEDIUM_FROM)} of ${episodes} episodes, easy those that ` +
      `it solves in ${percent(EASY_FROM)} or more; sampled before training, with separate draws. Lost: easy problems that ` +
      'fewer than half of the episodes solve afterwards.',
  },
  quadrants: {
    amount: {
      help:
        'Sample this many groups of training problems with each policy, and report the steps for which the advantages of RTMC ' +
        'and of GRPO with rewards of steps have different signs; 0: off.',
      ...{ min: 0, max: 10_000, default: 0 },
    },
    columns: () => [
      measuredColumn('penalised', 'penalised in successes', 'percent'),
      measuredColumn('rescued', 'rescued in failures', 'percent'),
    ],
    note: (groups) =>
      `Penalised: steps of successes with an advantage above 0 under GRPO with rewards of steps and below 0 under RTMC; ` +
      `rescued: steps of failures with the opposite signs. ${groups} groups of training problems, sampled with the policy in question.`,
  },
  visits: VISITS,
};

const solvedProblems: Measure = async (trainer, plan, signal, strata) => {
  const { majority = 0, quadrants: groups = 0, visits = 0 } = plan.measuring;
  const { rates, problems = [] } = await evaluateRepo(trainer.measurer, heldOutOptions(plan, signal));
  const { tasks: _, ...measured } = rates;
  const each = problems.map((episodes) => episodes.filter(({ solved }) => solved).length);
  const share = (problems: readonly number[], of: (problem: number) => number) =>
    problems.length === 0 ? null : mean(problems.map(of));
  const all = [...each.keys()];
  const apart = (stratum: Stratum) => all.filter((problem) => strata?.get(problem) === stratum);
  const { samples } = plan.measuring;
  return {
    ...measured,
    ...(majority > 0 ? { majority: share(all, (problem) => majorityOf(samples, each[problem], majority)) } : {}),
    ...(strata
      ? Object.fromEntries([
          ...STRATA.flatMap((stratum): [string, number | null][] => [
            [`problems:${stratum}`, apart(stratum).length],
            [`solved:${stratum}`, share(apart(stratum), (problem) => each[problem] / samples)],
          ]),
          ['lost', share(apart('easy'), (problem) => Number(each[problem] < samples / 2))],
        ])
      : {}),
    ...(groups > 0 ? await quadrants(trainer.measurer, groups, signal) : {}),
    ...(await visitsMeasured(trainer.measurer, visits, signal)),
  };
};

function ratesOn(split: 'train' | 'held-out', amount: 'base' | 'heldOut'): Measure {
  return async (trainer, { measuring }, signal) => ({ ...(await evaluate(trainer, measuring[amount], split, signal)) });
}

/** Additional settings of refinement. */
const REFINEMENT: Options = {
  iterations: {
    amount: { help: 'Attempts per episode: Iter-1, Iter-2, ...', min: 1, max: 8, default: ITERATIONS },
    // The environment declares the columns of the first attempts.
    columns: (turn) => (turn > ITERATIONS ? [measuredColumn(`iter${turn}`, `Iter-${turn}`, 'percent')] : []),
  },
  strata: {
    amount: {
      help:
        'Classify problems as hard, medium and easy with this many first programs of the warm start for each, sampled before ' +
        'training; 0: off.',
      ...{ min: 0, max: 256, default: 0 },
    },
    /** Attempts 1, 3 and the last of each stratum. */
    columns: (_, { measuring: { iterations = ITERATIONS } }) =>
      STRATA.flatMap((stratum) => [
        measuredColumn(`problems:${stratum}`, `${stratum} problems`, 'number'),
        ...[1, Math.min(ITERATIONS, iterations), ...(iterations > ITERATIONS ? [iterations] : [])].map((turn) =>
          measuredColumn(`iter${turn}:${stratum}`, `Iter-${turn}, ${stratum}`, 'percent'),
        ),
      ]),
    note: (programs) =>
      `Hard are problems of which the warm start solves fewer than ${percent(MEDIUM_FROM)} of ${programs} first programs, easy those ` +
      `of which it solves ${percent(EASY_FROM)} or more; sampled before training, with separate draws.`,
  },
  budget: SCAFFOLD_BUDGET,
};

/** Measures Iter-k over all problems and for each stratum (`iter3`, `iter3:hard`), and the results of scaffolds. */
const refined: Measure = async (trainer, plan, signal, strata) => {
  const { iterations: turns = ITERATIONS, budget = 0 } = plan.measuring;
  const usual = heldOutOptions(plan, signal);
  const options = { ...usual, iterations: turns, feedback: 'true' } as const;
  const evaluated = await evaluateRepair(trainer.measurer, { ...options, ...(strata ? { strata } : {}) });
  const { episodes, iterations, repairRate, partial, none } = evaluated;
  const each = iterations.map((share, index) => [`iter${index + 1}`, share] as const);
  const apart = (evaluated.strata ?? []).flatMap(({ stratum, tasks, iterations: rates }): [string, number | null][] => [
    [`problems:${stratum}`, tasks],
    ...each.map(([name], turn): [string, number | null] => [`${name}:${stratum}`, rates?.[turn] ?? null]),
  ]);
  const searched = await scaffoldsMeasured(trainer.measurer, usual, budget);
  const measurements = { ...Object.fromEntries(each), repairRate, partial, none, ...Object.fromEntries(apart) };
  return { episodes, ...measurements, ...searched };
};

const percent = (share: number) => `${100 * share} %`;

/** Returns the measurement by episodes of held-out problems, for environments that execute programs. */
function byProblem(samples = SAMPLES, measure: Measure): DescribedMeasuring {
  return {
    measuring: {
      samples: { help: 'Episodes of each held-out problem.', min: 1, max: 1_000, default: samples },
      problems: { help: 'Held-out problems, the first ones; 0 for all.', min: 0, max: 10_000, default: 0 },
    },
    separateSampling: true,
    baseOnce: false,
    measureBase: measure,
    measure,
    columns: () => TIMES,
    before: (plan) => [describeDeviation(plan), heldOutNote(plan)],
    after: [
      'Retained: turns that the update computed. Times are wall-clock times of one machine, including its other work; executing ' +
        'is the wait for programs.',
    ],
  };
}

/** Converts the measurement settings of a plan to options of an evaluation. */
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
  if (freshWarmStart) return 'each seed has a separate warm start';
  if (worlds > 1) return `the seeds cycle through ${worlds} worlds with separate warm starts`;
  return 'all start from one warm start in one world, so differences between worlds are not measured (--worlds)';
}

function describeDeviation(plan: ComparisonPlan): string {
  return (
    `Mean ± sample deviation over seeds, ${plan.steps} updates per run; ${startNote(plan)}. The arms of a seed differ only in ` +
    'the settings in their names.'
  );
}

function heldOutNote({ measuring }: ComparisonPlan): string {
  const { samples, problems, temperature, topP } = measuring;
  const selection = problems > 0 ? ` (the first ${problems})` : '';
  return (
    `Held-out problems${selection}, ${samples} ${samples === 1 ? 'episode' : 'episodes'} each, temperature ${temperature}, ` +
    `top-p ${topP}; the base with the draws of each seed.`
  );
}
