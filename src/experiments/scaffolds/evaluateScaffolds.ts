import { passesHidden } from '../../environments/repair/evaluation.ts';
import type { RepairEnvironment } from '../../environments/repair/repairEnvironment.ts';
import { type EpisodeSampler, type HeldOutOptions, repeatRuns, type Strata } from '../evaluation/heldOut.ts';
import { runRepairEpisode } from '../evaluation/repairEvaluation.ts';
import { runScaffold, type ScaffoldOptions, type Search, visibleShare } from './runScaffold.ts';
import {
  bestOf,
  dot,
  dotReflections,
  FRESH,
  LATS,
  lats,
  passes,
  REFLEXION,
  type Scaffold,
  type ScaffoldName,
  usesReflections,
} from './scaffold.ts';
import { ratesOf, type ScaffoldReport, type ScaffoldRun, scaffoldReport } from './scaffoldRates.ts';

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
export function writesReflections({ environment }: Pick<EpisodeSampler, 'environment'>): boolean {
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
