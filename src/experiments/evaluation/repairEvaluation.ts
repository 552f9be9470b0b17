import {
  controlledPrompts,
  type FeedbackControl,
  type PassAt,
  type Passed,
  passesHidden,
  type RefinementRates,
  refinementPassAt,
  refinementRates,
  requestProgram,
} from '../../environments/repair/evaluation.ts';
import type { RepairEnvironment } from '../../environments/repair/open.ts';
import type { RepairTask } from '../../environments/repair/repairTasks.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import { meanOverTurnsWithFact, type RolloutTurn } from '../../rollouts/rolloutBatch.ts';
import type { Evaluation } from '../../training/collect/collector.ts';
import { type Summary, summarize } from '../statistics.ts';
import {
  bySample,
  byStratum,
  drawKey,
  type EpisodeSampler,
  type EvaluationCounts,
  type HeldOutOptions,
  repeatRuns,
  STRATA,
  STRATA_RUN,
  STRATA_SEED,
  type Strata,
  type Stratum,
  sampleAll,
  stratumOf,
  tasksOf,
} from './heldOut.ts';

// Evaluation in the repair environment: attempts with feedback.

export interface RepairOptions extends HeldOutOptions {
  /** Number of attempts per episode. */
  readonly iterations: number;
  /** Feedback to show between attempts: the actual feedback, or a control. */
  readonly feedback: FeedbackControl;
  /** True to request programs without reflections from a policy that writes reflections. */
  readonly leaveOutReflections?: boolean;
  /** Values of k for pass@k, each at most `samples`. */
  readonly passAt?: readonly number[];
  /** Difficulty of the tasks (`difficulties`). If present, rates are also reported for each stratum. */
  readonly strata?: Strata;
}

/** Rates over the tasks of one stratum; absent if the stratum has no task. */
interface StratumRates extends Partial<RefinementRates> {
  readonly stratum: Stratum;
  readonly tasks: number;
}

/** Quality of the tests that a policy writes [0 to 1]. */
interface WrittenTestQuality {
  /** Share of the written tests that the correct program passes. */
  readonly right: number;
  /**
   * Share of the tested wrong programs that a correct test fails, and share of the tested correct programs that a wrong
   * test fails.
   */
  readonly caught: number;
  readonly wronged: number;
}

/** Results of one repetition with one kind of feedback. */
export interface RefinementRun extends EvaluationCounts, RefinementRates {
  readonly passAt: readonly PassAt[];
  readonly strata?: readonly StratumRates[];
  readonly writtenTestQuality?: WrittenTestQuality;
}

/** Results of all repetitions with one kind of feedback. */
export type RefinementReport = Summary<RefinementRun> & {
  readonly feedback: FeedbackControl;
  readonly runs: readonly RefinementRun[];
};

/** Plan of a repeated evaluation of attempts with feedback. */
export interface RefinementPlan extends Omit<RepairOptions, 'feedback' | 'run'> {
  /** Kinds of feedback to show between attempts. All kinds are evaluated on the same first programs. */
  readonly feedback: readonly FeedbackControl[];
  /** Number of independent repetitions. */
  readonly runs: number;
}

/**
 * Evaluates the policy of a sampler without training. Within a run, all kinds of feedback follow the same first
 * programs.
 * @returns [feedback] reports over the complete runs; undefined if the evaluation was stopped before the first run was
 * complete
 */
export async function evaluateRefinement(
  trainer: EpisodeSampler,
  plan: RefinementPlan,
): Promise<readonly RefinementReport[] | undefined> {
  const results = await repeatRuns(plan, plan.feedback, async (feedback, options) => {
    const result = await evaluateRepair(trainer, { ...plan, feedback, ...options });
    return result.episodes === result.tasks * plan.samples ? result : undefined;
  });
  return results?.map(({ variant, runs }) => refinementReport(variant, runs));
}

/** Computes means and sample deviations over runs of the same plan. */
export function refinementReport(feedback: FeedbackControl, runs: readonly RefinementRun[]): RefinementReport {
  return { feedback, ...summarize(runs), runs };
}

/**
 * Computes Iter-k in the repair environment. Feedback shows visible tests. An episode ends when these tests pass, and
 * its last program is scored on the hidden tests. With the same seed and run, the first programs are equal for all
 * kinds of feedback.
 * @returns rates; pass@k is empty if the evaluation was stopped before each task was sampled `samples` times
 */
export async function evaluateRepair(trainer: EpisodeSampler, options: RepairOptions): Promise<RefinementRun> {
  const { iterations, samples, passAt = [], strata } = options;
  const { pool, episodes, writtenTestQuality } = await runRepairEpisode(trainer, options);
  const isComplete = episodes.length === samples * pool.length;
  return {
    tasks: pool.length,
    episodes: episodes.length,
    ...refinementRates(episodes, iterations),
    passAt: isComplete ? refinementPassAt(bySample(episodes, pool.length), iterations, passAt) : [],
    ...(strata ? { strata: stratumRates(episodes, pool, iterations, strata) } : {}),
    ...(writtenTestQuality ? { writtenTestQuality } : {}),
  };
}

/**
 * Samples the attempts of all episodes.
 * @returns `pool` tasks. `episodes` [episodes][attempts] test results, with all tasks of the first sample before the
 * next sample; fewer episodes if the evaluation was stopped.
 */
export async function runRepairEpisode(
  trainer: EpisodeSampler,
  options: Omit<RepairOptions, 'passAt' | 'strata'>,
): Promise<{
  readonly pool: readonly RepairTask[];
  readonly episodes: readonly (readonly Passed[])[];
  readonly writtenTestQuality?: WrittenTestQuality;
}> {
  const { iterations, feedback, leaveOutReflections = false, run = 0 } = options;
  const pool = repairTasks(trainer, options);
  const turns = trainer.environment.attemptTurns?.(iterations) ?? iterations;
  const play: Evaluation['play'] = { mode: 'evaluate', maxTurns: turns };
  const batches = await sampleAll(trainer, pool, options, turns, (batch) => {
    const random = new CounterRandom(trainer.seed, STREAMS.evaluation, 0xd0000000 + drawKey(run, batch));
    return {
      play,
      rewrite: (prompts, fresh) => {
        const controlled = controlledPrompts(feedback, prompts, fresh, random);
        return leaveOutReflections ? controlled.map(requestProgram) : controlled;
      },
    };
  });
  // Turns that only write tests have no test results of the task.
  const episodes = batches.flatMap(({ groups }) =>
    groups.map((group) => group.turns.flatMap(({ passed }) => (passed ? [passed] : []))),
  );
  const written = measureWrittenTests(
    batches.flatMap(({ trajectories }) => trajectories.flatMap((trajectory) => trajectory.turns)),
  );
  return { pool, episodes, ...(written ? { writtenTestQuality: written } : {}) };
}

/** Computes the quality of written tests; undefined if no test was written. A share without items is 0. */
function measureWrittenTests(turns: readonly RolloutTurn[]): WrittenTestQuality | undefined {
  const right = meanOverTurnsWithFact(turns, 'testsAgree');
  if (right === null) return undefined;
  return {
    right,
    caught: meanOverTurnsWithFact(turns, 'caught') ?? 0,
    wronged: meanOverTurnsWithFact(turns, 'wronged') ?? 0,
  };
}

function stratumRates(
  episodes: readonly (readonly Passed[])[],
  pool: readonly { readonly id: number }[],
  iterations: number,
  strata: Strata,
): readonly StratumRates[] {
  const ids = episodes.map((_, episode) => pool[episode % pool.length].id);
  const apart = byStratum(episodes, ids, strata);
  return STRATA.map((stratum) => ({
    stratum,
    tasks: tasksOf(strata, stratum),
    ...(apart[stratum].length > 0 ? refinementRates(apart[stratum], iterations) : {}),
  }));
}

/**
 * Determines the difficulty of the tasks of a split for the initial policy, from the share of first programs that pass
 * the hidden tests. The draws are separate from all runs (STRATA_SEED).
 * @param options options with `samples` first programs per task
 * @returns undefined if the evaluation was stopped before the last task
 */
export async function difficulties(trainer: EpisodeSampler, options: HeldOutOptions): Promise<Strata | undefined> {
  const pool = repairTasks(trainer, options);
  const play: Evaluation['play'] = { mode: 'evaluate', maxTurns: 1 };
  const batches = await sampleAll(trainer, pool, { ...options, run: STRATA_RUN, seed: STRATA_SEED }, 1, () => ({
    play,
  }));
  const right = batches.flatMap(({ groups }) =>
    groups.map(({ turns: [{ passed }] }) => passesHidden(passed as Passed)),
  );
  if (right.length < options.samples * pool.length) return undefined;
  const rates = bySample(right, pool.length).map((samples) => samples.filter(Boolean).length / options.samples);
  return new Map(pool.map(({ id }, task) => [id, stratumOf(rates[task])]));
}

/** Returns the tasks of an evaluation. */
export function repairTasks(trainer: EpisodeSampler, { split, tasks: count }: HeldOutOptions): readonly RepairTask[] {
  const { tasks } = trainer.environment as unknown as RepairEnvironment;
  return tasks.filter(({ heldOut }) => heldOut === (split === 'held-out')).slice(0, count);
}
