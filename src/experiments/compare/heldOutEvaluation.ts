import { countEpisodes, type Facts } from '../../environments/fact.ts';
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
import type { RepairEnvironment } from '../../environments/repair/repairEnvironment.ts';
import type { RepairTask } from '../../environments/repair/repairTasks.ts';
import type { RepoEnvironment } from '../../environments/repo/repoEnvironment.ts';
import { REPO_FACTS } from '../../environments/repo/repoFacts.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import { meanOverTurnsWithFact, type RolloutBatch, type RolloutTurn } from '../../rollouts/rolloutBatch.ts';
import type { Evaluation } from '../../training/collect/collector.ts';
import type { Measurer } from '../../training/run/measurer.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import { type SharingReport, sharing } from '../sharing.ts';
import {
  byStratum,
  STRATA,
  STRATA_RUN,
  STRATA_SEED,
  type Strata,
  type Stratum,
  stratumOf,
  tasksOf,
} from './difficulty.ts';

/** Part of a trainer that an evaluation requires. */
export type EpisodeSampler = Pick<Measurer, 'environment' | 'seed' | 'capacityFor' | 'play'>;

/** Episodes of an evaluation, and their draws. */
export interface HeldOutOptions {
  readonly split: 'train' | 'held-out';
  /** Number of episodes per task. */
  readonly samples: number;
  /** Number of tasks, from the first task of the split; all tasks if absent. */
  readonly tasks?: number;
  readonly sampling: NonNullable<Evaluation['sampling']>;
  /** Number of an independent repetition, 0 to 255. Each repetition has separate draws. */
  readonly run?: number;
  /** Seed of the draws; by default the seed of the run. */
  readonly seed?: number;
  readonly progress?: (done: number, all: number) => void;
  /** Stops between batches. The results then cover the sampled episodes. */
  readonly signal?: AbortSignal;
}

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

/** Rates over the tasks of one stratum; undefined if the stratum has no task. */
export interface StratumRates {
  readonly stratum: Stratum;
  readonly tasks: number;
  readonly rates: RefinementRates | undefined;
}

/** Quality of the tests that a policy writes [0 to 1]. */
export interface WrittenTestQuality {
  /** Share of the written tests that the correct program passes. */
  readonly right: number;
  /**
   * Share of the tested wrong programs that a correct test fails, and share of the tested correct programs that a wrong
   * test fails.
   */
  readonly caught: number;
  readonly wronged: number;
}

/** Number of tasks and of episodes of an evaluation. */
export interface EvaluationCounts {
  readonly tasks: number;
  readonly episodes: number;
}

/**
 * Computes Iter-k in the repair environment. Feedback shows visible tests. An episode ends when these tests pass, and
 * its last program is scored on the hidden tests. With the same seed and run, the first programs are equal for all
 * kinds of feedback.
 * @returns rates; pass@k is empty if the evaluation was stopped before each task was sampled `samples` times
 */
export async function evaluateRepair(
  trainer: EpisodeSampler,
  options: RepairOptions,
): Promise<
  EvaluationCounts &
    RefinementRates & {
      readonly passAt: readonly PassAt[];
      readonly strata?: readonly StratumRates[];
      readonly writtenTestQuality?: WrittenTestQuality;
    }
> {
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
    rates: apart[stratum].length > 0 ? refinementRates(apart[stratum], iterations) : undefined,
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

/** Reorders episodes from sample-major order, [samples x tasks], to [tasks][samples]. */
function bySample<Episode>(episodes: readonly Episode[], tasks: number): Episode[][] {
  return Array.from({ length: tasks }, (_, task) => episodes.filter((_, episode) => episode % tasks === task));
}

/** Computes pass@1 and the facts of the repository environment. */
export async function evaluateRepo(
  trainer: EpisodeSampler,
  options: HeldOutOptions,
): Promise<EvaluationCounts & Facts> {
  const { pool, batches } = await sampleRepo(trainer, options);
  return ratesOf(pool.length, batches);
}

/**
 * Computes the same rates, and the shares of steps that rollouts of a problem share.
 * @param sizes group sizes, from 2 to `samples`
 * @returns `sharing` is absent if the evaluation was stopped before each problem was sampled `samples` times
 */
export async function evaluateSharing(
  trainer: EpisodeSampler,
  options: HeldOutOptions,
  sizes: readonly number[],
): Promise<{ readonly rates: EvaluationCounts & Facts; readonly sharing?: SharingReport }> {
  const { pool, batches } = await sampleRepo(trainer, options);
  const rates = ratesOf(pool.length, batches);
  if (rates.episodes < pool.length * options.samples) return { rates };
  const groups = batches.flatMap((batch) => batch.groups);
  return { rates, sharing: sharing(bySample(groups, pool.length), sizes, trainer.seed) };
}

/**
 * Computes the same rates, and [problems][samples] which episodes are solved.
 * @returns `solved` is absent if the evaluation was stopped before each problem was sampled `samples` times
 */
export async function evaluateProblems(
  trainer: EpisodeSampler,
  options: HeldOutOptions,
): Promise<{ readonly rates: EvaluationCounts & Facts; readonly solved?: readonly (readonly boolean[])[] }> {
  const { pool, batches } = await sampleRepo(trainer, options);
  const rates = ratesOf(pool.length, batches);
  if (rates.episodes < pool.length * options.samples) return { rates };
  const ends = batches.flatMap(({ trajectories }) => trajectories.map(({ turns }) => turns[turns.length - 1]));
  const solved = ends.map(({ outcome = 0, facts }) => outcome > 0 && facts.finished > 0);
  return { rates, solved: bySample(solved, pool.length) };
}

/**
 * Determines the difficulty of the problems for the initial policy, by position in the split. The draws are separate
 * from all runs.
 * @returns undefined if the evaluation was stopped
 */
export async function problemDifficulties(
  trainer: EpisodeSampler,
  options: HeldOutOptions,
): Promise<Strata | undefined> {
  const { solved } = await evaluateProblems(trainer, { ...options, run: STRATA_RUN, seed: STRATA_SEED });
  return solved && new Map(solved.map((samples, problem) => [problem, stratumOf(shareOf(samples))]));
}

function shareOf(samples: readonly boolean[]): number {
  return samples.filter(Boolean).length / samples.length;
}

async function sampleRepo(trainer: EpisodeSampler, options: HeldOutOptions) {
  const environment = trainer.environment as unknown as RepoEnvironment;
  const { heldOut, training } = environment.problems;
  const pool = (options.split === 'held-out' ? heldOut : training).slice(0, options.tasks);
  return { pool, batches: await sampleAll(trainer, pool, options, 1, () => ({})) };
}

function ratesOf(tasks: number, batches: readonly RolloutBatch[]): EvaluationCounts & Facts {
  const trajectories = batches.flatMap((batch) => batch.trajectories);
  return { tasks, episodes: trajectories.length, ...countEpisodes(REPO_FACTS, { trajectories }) };
}

/** Number of draw keys reserved for each repetition. */
const RUN_KEYS = 0x10_0000;

/**
 * Returns the key of the draws of a batch, or of another part of a repetition with separate draws.
 * @param batch index in the repetition, below RUN_KEYS
 */
export function drawKey(run: number, batch: number): number {
  return run * RUN_KEYS + batch;
}

/**
 * Samples each task `samples` times, all tasks of a sample before the next.
 * @param sequences maximum sequences of an episode
 */
async function sampleAll(
  trainer: EpisodeSampler,
  pool: readonly unknown[],
  { samples, sampling, run = 0, seed, progress, signal }: HeldOutOptions,
  sequences: number,
  evaluation: (batch: number) => Evaluation,
): Promise<RolloutBatch[]> {
  const episodes = Array.from({ length: samples }, () => pool).flat();
  const size = trainer.capacityFor(sequences);
  const batches: RolloutBatch[] = [];
  for (let first = 0; first < episodes.length && !signal?.aborted; first += size) {
    const tasks = episodes.slice(first, first + size);
    const key = drawKey(run, batches.length);
    const drawn = seed === undefined ? {} : { seed };
    batches.push(await trainer.play(tasks, key, { sampling, ...drawn, ...evaluation(batches.length) }));
    progress?.(Math.min(first + size, episodes.length), episodes.length);
  }
  return batches;
}
