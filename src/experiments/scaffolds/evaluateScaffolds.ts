import { passesHidden } from '../../environments/repair/evaluation.ts';
import type { RepairEnvironment } from '../../environments/repair/repairEnvironment.ts';
import type { Strata } from '../compare/difficulty.ts';
import { type EpisodeSampler, type HeldOutOptions, runRepairEpisode } from '../compare/heldOutEvaluation.ts';
import { dot, dotReflections } from './dot.ts';
import { LATS, lats } from './lats.ts';
import { REFLEXION } from './reflexion.ts';
import { runScaffold, type ScaffoldOptions, type Search, visibleShare } from './runScaffold.ts';
import { bestOf, FRESH, passes, type Scaffold, type ScaffoldName, usesReflections } from './scaffold.ts';
import { overRuns, ratesOf, type ScaffoldReport, type ScaffoldRun } from './scaffoldRates.ts';

/** Default number of refinements of a program that is expanded. */
export const CHILDREN = 3;

/** Settings for running scaffolds. */
export interface ScaffoldChoice {
  /** Programs of each search at most. */
  readonly budget: number;
  /** Refinements of a program that is expanded: children in LATS, width of a level in DoT. */
  readonly children: number;
  /** True if the reward model of the world helps best-of-n and LATS to choose. */
  readonly verifier: boolean;
}

/** Scaffolds over one policy. */
export interface ScaffoldPlan extends Omit<HeldOutOptions, 'run' | 'seed'>, ScaffoldChoice {
  readonly scaffolds: readonly ScaffoldName[];
  /** Independent repetitions. */
  readonly runs: number;
  /** Difficulty of the tasks; shares are reported of each stratum too. */
  readonly strata?: Strata;
}

/** Search of a scaffold that `runScaffold` runs. */
interface Searching {
  readonly scaffold: (choice: ScaffoldChoice) => Scaffold;
  /** Number at which its draws begin. */
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
  // The same draws: they part where the first pass is over.
  'dot-bank': { scaffold: ({ children }) => dotReflections(children), number: 1.5, reflections: 'cached' },
};

/** Returns true if a scaffold uses the verifier. */
export const usesVerifier = (name: ScaffoldName): boolean => name === 'best-of-n' || name === 'lats';

/**
 * Evaluates the policy of a player under scaffolds, each with the same budget of programs, without training. Every run
 * uses separate random numbers. Within a run all scaffolds begin with the same first programs, and no scaffold depends
 * on which others are evaluated.
 * @returns [scaffolds] of the runs that are complete; undefined if the evaluation was stopped before one was complete
 * @throws {RewardModelError} with a verifier, if the world has no reward model
 */
export async function evaluateScaffolds(
  trainer: EpisodeSampler,
  plan: ScaffoldPlan,
): Promise<readonly ScaffoldReport[] | undefined> {
  const { scaffolds, runs, progress } = plan;
  const complete: ScaffoldRun[][] = [];
  for (let run = 0; run < runs; run++) {
    const results: ScaffoldRun[] = [];
    for (const name of scaffolds) {
      const before = run * scaffolds.length + results.length;
      const result = await evaluateScaffold(trainer, name, {
        ...plan,
        run,
        progress: (done, all) => progress?.(before * all + done, runs * scaffolds.length * all),
      });
      if (!result) return complete.length > 0 ? reports(plan, complete) : undefined;
      results.push(result);
    }
    complete.push(results);
  }
  return reports(plan, complete);
}

/**
 * One repetition of one scaffold. @returns undefined where it was stopped
 * @throws {RangeError} for a scaffold with reflections in a world without
 */
export async function evaluateScaffold(
  trainer: EpisodeSampler,
  name: ScaffoldName,
  plan: Omit<HeldOutOptions, 'seed'> & ScaffoldChoice & Pick<ScaffoldPlan, 'strata'>,
): Promise<ScaffoldRun | undefined> {
  if (usesReflections(name) && !writesReflections(trainer)) throw new RangeError(`${name}: ${NO_REFLECTIONS}`);
  if (plan.signal?.aborted) return undefined;
  // Attempt after attempt is played as by `evaluateRepair`.
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

/** Message for a policy that writes no reflections although reflections are requested. */
export const NO_REFLECTIONS = 'the policy of this world writes no reflections; use --reflection written';

/** Returns true if the policy of a world has learned to write reflections. */
export function writesReflections({ environment }: Pick<EpisodeSampler, 'environment'>): boolean {
  return (environment as unknown as RepairEnvironment).settings.reflection !== 'none';
}

/** Attempt after attempt as searches, each program a refinement of the one before. */
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

function reports(
  { scaffolds, budget }: Pick<ScaffoldPlan, 'scaffolds' | 'budget'>,
  complete: readonly (readonly ScaffoldRun[])[],
): readonly ScaffoldReport[] {
  return scaffolds.map((scaffold, index) =>
    overRuns(
      scaffold,
      budget,
      complete.map((run) => run[index]),
    ),
  );
}

/**
 * Independent first programs. The answer passes the most visible tests; of several that pass as many, it is the one that the
 * verifier likes best, or the first one without a verifier. Without one the search is over at the first program that
 * passes all visible tests: no later one would be preferred to it.
 *
 * μCode (Jain et al. 2025, "Multi-Turn Code Generation Through Single-Step Rewards", arXiv 2502.20380) chooses among N by its
 * verifier at every turn; this is one such turn, with the visible tests before the verifier.
 * @param verified whether there is a verifier
 */
export function bestOfN(verified: boolean): Scaffold {
  return {
    next: (programs) => (!verified && programs.some(passes) ? [] : [FRESH]),
    answer: (programs) => bestOf(programs, ({ visible, verified: score = 0 }) => [visible, score]),
  };
}
