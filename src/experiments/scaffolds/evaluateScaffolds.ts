import { passesHidden } from '../../environments/repair/evaluation.ts';
import type { RepairEnvironment } from '../../environments/repair/open.ts';
import type { ReflectionMatch } from '../../environments/repair/reflection.ts';
import { integerPower } from '../../numbers/exponential.ts';
import { measuredColumn, type OptionalMeasurement } from '../compare/compared.ts';
import type { ComparisonPlan, Measured } from '../compare/findings.ts';
import {
  type EpisodeSampler,
  type EvaluationCounts,
  type HeldOutOptions,
  repeatRuns,
  STRATA,
  type Strata,
  type Stratum,
  tasksOf,
} from '../evaluation/heldOut.ts';
import { runRepairEpisode } from '../evaluation/repairEvaluation.ts';
import { mean, type Summary, summarize } from '../statistics.ts';
import { runScaffold, type ScaffoldOptions, type Search, visibleShare } from './runScaffold.ts';
import {
  bestOf,
  dot,
  dotReflections,
  expands,
  FRESH,
  isNewReflection,
  LATS,
  lats,
  PLAIN_SCAFFOLDS,
  passes,
  REFLECTING_SCAFFOLDS,
  REFLEXION,
  type Scaffold,
  type ScaffoldName,
  usesReflections,
} from './scaffold.ts';

/** Default number of refinements of an expanded program. */
export const CHILDREN = 3;

/** Settings that all scaffolds share. */
export interface ScaffoldChoice {
  /** Maximum number of programs of each search. */
  readonly budget: number;
  /** Number of refinements of an expanded program: children in LATS, width of a level in DoT. */
  readonly children: number;
  /** True if best-of-n and LATS also use the world's reward model as a verifier. */
  readonly verifier: boolean;
}

/** Plan of an evaluation of scaffolds with one policy. */
export interface ScaffoldPlan extends Omit<HeldOutOptions, 'run' | 'seed'>, ScaffoldChoice {
  readonly scaffolds: readonly ScaffoldName[];
  /** Number of independent repetitions. */
  readonly runs: number;
  /** Difficulty of the tasks. If present, shares are also reported for each stratum. */
  readonly strata?: Strata;
}

/** Scaffold that `runScaffold` runs, with its draws. */
interface Searching {
  readonly scaffold: (choice: ScaffoldChoice) => Scaffold;
  /** Number at which the draw keys of the scaffold begin (ScaffoldOptions.number). */
  readonly number: number;
  readonly reflections?: ScaffoldOptions['reflections'];
}

const SEARCHING: Readonly<Record<Exclude<ScaffoldName, 'refine'>, Searching>> = {
  'best-of-n': { scaffold: ({ verifier }) => bestOfN(verifier), number: 1 },
  lats: { scaffold: ({ children }) => lats({ ...LATS, children }), number: 2 },
  dot: { scaffold: ({ children }) => dot(children), number: 3 },
  reflexion: { scaffold: () => REFLEXION, number: 2.5, reflections: 'own' },
  'shuffled-reflexion': { scaffold: () => REFLEXION, number: 3.5, reflections: 'shuffled' },
  'dot-reflections': { scaffold: ({ children }) => dotReflections(children), number: 1.5, reflections: 'own' },
  // The draws equal those of dot-reflections, so the two scaffolds differ only after the first half of the budget.
  'dot-bank': { scaffold: ({ children }) => dotReflections(children), number: 1.5, reflections: 'cached' },
};

/** Returns true if a scaffold uses the verifier. */
export const usesVerifier = (name: ScaffoldName): boolean => name === 'best-of-n' || name === 'lats';

/**
 * Evaluates the policy of a sampler under scaffolds, without training. Each scaffold has the same budget of programs.
 * Within a run, all scaffolds start with the same first programs. The result of a
 * scaffold does not depend on the other scaffolds.
 * @returns [scaffolds] reports over the complete runs; undefined if the evaluation was stopped before the first run was
 * complete
 * @throws {RewardModelError} if a verifier is requested and the world has no reward model
 */
export async function evaluateScaffolds(
  trainer: EpisodeSampler,
  plan: ScaffoldPlan,
): Promise<readonly ScaffoldReport[] | undefined> {
  const results = await repeatRuns(plan, plan.scaffolds, (name, options) =>
    evaluateScaffold(trainer, name, { ...plan, ...options }),
  );
  return results?.map(({ variant, runs }) => scaffoldReport(variant, plan.budget, runs));
}

/**
 * Evaluates one repetition of one scaffold.
 * @returns undefined if the evaluation was stopped
 * @throws {RangeError} if the scaffold uses reflections and the policy writes none
 */
export async function evaluateScaffold(
  trainer: EpisodeSampler,
  name: ScaffoldName,
  plan: Omit<HeldOutOptions, 'seed'> & ScaffoldChoice & Pick<ScaffoldPlan, 'strata'>,
): Promise<ScaffoldRun | undefined> {
  if (usesReflections(name) && !writesReflections(trainer)) throw new RangeError(`${name}: ${NO_REFLECTIONS}`);
  // Sequential attempts are sampled as in `evaluateRepair`.
  if (name === 'refine') {
    const searches = await attempts(trainer, plan);
    return searches && ratesOf(searches, REFLEXION, plan);
  }
  const { scaffold, number, reflections } = SEARCHING[name];
  const instance = scaffold(plan);
  const searches = await runScaffold(trainer, instance, {
    ...plan,
    verifier: plan.verifier && usesVerifier(name),
    ...(reflections ? { reflections } : {}),
    number,
  });
  return searches && ratesOf(searches, instance, plan);
}

/** Error message for a policy that writes no reflections although reflections are requested. */
export const NO_REFLECTIONS = 'the policy of this world writes no reflections; use --reflection written';

/** Returns true if the policy of the world is trained to write reflections. */
function writesReflections({ environment }: Pick<EpisodeSampler, 'environment'>): boolean {
  return (environment as unknown as RepairEnvironment).settings.reflection !== 'none';
}

/** Returns sequential attempts as searches. Each program refines the previous program. */
async function attempts(
  trainer: EpisodeSampler,
  plan: Omit<HeldOutOptions, 'seed'> & ScaffoldChoice,
): Promise<readonly Search[] | undefined> {
  const options = { ...plan, iterations: plan.budget, feedback: 'true', leaveOutReflections: true } as const;
  const { pool, episodes } = await runRepairEpisode(trainer, options);
  if (episodes.length < pool.length * plan.samples) return undefined;
  return episodes.map((episode, index) => ({
    task: pool[index % pool.length],
    attempts: episode.map((passed, at) => ({
      ...{ parent: at === 0 ? FRESH : at - 1, program: '' },
      visible: visibleShare(passed),
    })),
    right: episode.map((passed) => passesHidden(passed)),
  }));
}

/**
 * Samples independent first programs. The answer is the program that passes the most visible tests. A tie is resolved
 * by the score of the verifier, or by the order without a verifier. Without a verifier, the search ends at the first
 * program that passes all visible tests, because no later program is preferred to it.
 *
 * μCode (Jain et al. 2025, "Multi-Turn Code Generation Through Single-Step Rewards", arXiv 2502.20380) selects one of N
 * programs by its verifier in each turn. This is one such turn, with the visible tests ranked before the verifier.
 * @param verified true if there is a verifier
 */
export function bestOfN(verified: boolean): Scaffold {
  return {
    next: (programs) => (!verified && programs.some(passes) ? [] : [FRESH]),
    answer: (programs) => bestOf(programs, ({ visible, verified: score = 0 }) => [visible, score]),
  };
}

/** Rates of reflections. */
export interface ReflectionRates {
  /** Share of readable reflections with content among the requested reflections. */
  readonly written: number;
  /** Share of these reflections whose program makes exactly the announced changes. */
  readonly followed: number;
  /** Share of the announced edits that the programs make. */
  readonly editShare: number;
}

/** Results of one repetition of one scaffold. */
export interface ScaffoldRun extends EvaluationCounts {
  /** [budgets] share of searches whose answer, with this budget, passes all hidden tests. */
  readonly solved: readonly number[];
  /** Mean number of programs of a search. */
  readonly programCount: number;
  /** Rates of reflections; absent if no program follows a readable reflection. */
  readonly reflections?: ReflectionRates;
  /** Share of reflections that announce a change not announced before for the refined program. */
  readonly newReflections?: number;
  /** Rates of the cached reflections of other tasks. `reflections` includes them. */
  readonly cached?: ReflectionRates;
  /** [budgets] the same shares for each stratum; `solved` is absent if the stratum has no task. */
  readonly strata?: readonly {
    readonly stratum: Stratum;
    readonly tasks: number;
    readonly solved?: readonly number[];
  }[];
}

/** Results of all repetitions of one scaffold. */
export type ScaffoldReport = Summary<ScaffoldRun> & {
  readonly scaffold: ScaffoldName;
  /** Budgets of the shares: 1, 2, 4, ... and the full budget [programs]. */
  readonly budgets: readonly number[];
  readonly runs: readonly ScaffoldRun[];
};

/** Returns the powers of 2 below a limit, and the limit. */
export function budgetsTo(limit: number): readonly number[] {
  const powers = Array.from({ length: 32 - Math.clz32(limit - 1) }, (_, exponent) => integerPower(2, exponent));
  return [...powers, limit];
}

/**
 * Computes the results of searches.
 * @param answer function of the scaffold that selects the answer
 * @param strata difficulty of the tasks, for results by stratum
 */
function ratesOf(
  searches: readonly Search[],
  { answer }: Pick<Scaffold, 'answer'>,
  { budget, samples, strata }: { readonly budget: number; readonly samples: number; readonly strata?: Strata },
): ScaffoldRun {
  const solved = (selected: readonly Search[]) =>
    budgetsTo(budget).map((limit) =>
      mean(selected.map(({ attempts, right }) => Number(right[answer(attempts.slice(0, limit))]))),
    );
  const apart = (stratum: Stratum) => searches.filter(({ task }) => strata?.get(task.id) === stratum);
  return {
    tasks: searches.length / samples,
    episodes: searches.length,
    solved: solved(searches),
    programCount: mean(searches.map(({ attempts }) => attempts.length)),
    ...rated('reflections', reflectionRates(searches.flatMap(({ followed = [] }) => followed))),
    ...newReflections(searches),
    ...rated('cached', reflectionRates(searches.flatMap(({ cached = [] }) => cached))),
    ...(strata
      ? {
          strata: STRATA.map((stratum) => ({
            ...{ stratum, tasks: tasksOf(strata, stratum) },
            ...(apart(stratum).length > 0 ? { solved: solved(apart(stratum)) } : {}),
          })),
        }
      : {}),
  };
}

function reflectionRates(all: readonly ReflectionMatch[]): ReflectionRates | undefined {
  const readable = all.filter((entry) => entry.readable);
  if (readable.length === 0) return undefined;
  const sum = (of: (entry: ReflectionMatch) => number) => readable.reduce((total, entry) => total + of(entry), 0);
  return {
    written: readable.length / all.length,
    followed: sum(({ followed }) => Number(followed)) / readable.length,
    editShare:
      sum(({ editShare }) => editShare) /
      Math.max(
        1,
        sum(({ announced }) => announced),
      ),
  };
}

function newReflections(searches: readonly Search[]): Pick<ScaffoldRun, 'newReflections'> {
  const novelty = searches.flatMap(({ attempts }) =>
    attempts.flatMap(({ reflection }, index) => (reflection === undefined ? [] : [isNewReflection(attempts, index)])),
  );
  return novelty.length > 0 ? { newReflections: mean(novelty.map(Number)) } : {};
}

/** Returns an object with one entry, or an empty object if the value is undefined. */
function rated<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [_ in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [_ in Key]?: Value };
}

/** Computes means and sample deviations over runs of the same plan. */
export function scaffoldReport(scaffold: ScaffoldName, budget: number, runs: readonly ScaffoldRun[]): ScaffoldReport {
  return { scaffold, budgets: budgetsTo(budget), ...summarize(runs), runs };
}

// Measurement of policies under scaffolds in a comparison.

/** Returns the scaffolds to compare. They include scaffolds with reflections if the policies write reflections. */
function scaffoldsOf(reflecting: boolean): readonly ScaffoldName[] {
  return reflecting ? [...PLAIN_SCAFFOLDS, ...REFLECTING_SCAFFOLDS] : PLAIN_SCAFFOLDS;
}

/**
 * Measures the solved share and the mean number of programs of each scaffold (`scaffold:lats`, `spent:lats`). Returns
 * an empty object if the measurement was stopped.
 */
export async function scaffoldsMeasured(
  trainer: EpisodeSampler,
  options: HeldOutOptions,
  budget: number,
): Promise<Measured> {
  if (budget === 0) return {};
  const results: Record<string, number> = {};
  for (const name of scaffoldsOf(writesReflections(trainer))) {
    const run = await evaluateScaffold(trainer, name, { ...options, budget, children: CHILDREN, verifier: false });
    if (!run) return {};
    results[`scaffold:${name}`] = run.solved[run.solved.length - 1];
    results[`spent:${name}`] = run.programCount;
  }
  return results;
}

const planned = ({ settings }: ComparisonPlan) => scaffoldsOf(settings.reflection === 'written');

/** Measurement of scaffolds with a budget of programs per episode. */
export const SCAFFOLD_BUDGET: OptionalMeasurement = {
  amount: {
    help: 'Also the share solved under each scaffold, with up to this many programs per episode and without a verifier; 0: off.',
    ...{ min: 0, max: 64, default: 0 },
  },
  columns: (budget, plan) =>
    planned(plan).map((name) => measuredColumn(`scaffold:${name}`, `${name}, ${budget}`, 'percent')),
  note: (budget, plan) =>
    `${planned(plan).join(', ')}: the share solved under these scaffolds with up to ${budget} programs per episode, without a verifier; ` +
    `${planned(plan).filter(expands).join(', ')} with ${CHILDREN} refinements of a program.`,
};
