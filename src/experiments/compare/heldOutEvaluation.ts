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
import { meanOverTurnsWithFact } from '../../rollouts/counting.ts';
import type { RolloutBatch, RolloutTurn } from '../../rollouts/rolloutBatch.ts';
import type { Evaluation } from '../../training/collect/collectRequest.ts';
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

/** Parts of a trainer that an evaluation needs. */
export type EpisodeSampler = Pick<Trainer, 'environment' | 'seed' | 'capacityFor' | 'play'>;

/** Episodes that an evaluation runs. */
export interface HeldOutOptions {
  readonly split: 'train' | 'held-out';
  /** Episodes of each task. */
  readonly samples: number;
  /** The first tasks of the split; all where absent. */
  readonly tasks?: number;
  readonly sampling: NonNullable<Evaluation['sampling']>;
  /** Number of an independent repetition, from 0 to 255: its draws are those of no other. */
  readonly run?: number;
  /** Of the draws, where they are not those of the run. */
  readonly seed?: number;
  readonly progress?: (done: number, all: number) => void;
  /** Stops between batches; the figures are then over what was played. */
  readonly signal?: AbortSignal;
}

export interface RepairOptions extends HeldOutOptions {
  /** Attempts an episode. */
  readonly iterations: number;
  /** Feedback that is shown between attempts: the truth, or one of the controls. */
  readonly feedback: FeedbackControl;
  /** Asks for programs alone, also where the policy writes reflections before them. */
  readonly leaveOutReflections?: boolean;
  /** k of pass@k, each at most `samples`. */
  readonly passAt?: readonly number[];
  /** Difficulty of the tasks (`difficulties`). Rates are reported for each stratum too. */
  readonly strata?: Strata;
}

/** Rates over the tasks of one stratum; none where it has no task. */
export interface StratumRates {
  readonly stratum: Stratum;
  readonly tasks: number;
  readonly rates: RefinementRates | undefined;
}

/** Quality of the tests that the policy wrote, if the policy writes tests. */
export interface WrittenTestQuality {
  /** Tests that the right program passes, of those that were written. */
  readonly right: number;
  /** Wrong programs that a right test failed, of the wrong ones that were tested; and right programs that a wrong test failed. */
  readonly caught: number;
  readonly wronged: number;
}

/** Tasks and episodes that an evaluation ran. */
export interface EvaluationCounts {
  readonly tasks: number;
  readonly episodes: number;
}

/**
 * Iter-k of the repair environment: feedback shows visible tests, an episode stops when these pass, and its last program
 * is scored on the hidden ones. The same seed and run give the same first programs whatever feedback follows.
 * @returns no pass@k where it was stopped before every task was played `samples` times
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
 * The attempts of every episode. @returns `pool` the tasks, and [episodes][attempts] the results of each, one sample of all tasks
 * after another; fewer where it was stopped
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
  // Turns that write tests have no results of the task's own.
  const episodes = batches.flatMap(({ groups }) =>
    groups.map((group) => group.turns.flatMap(({ passed }) => (passed ? [passed] : []))),
  );
  const written = measureWrittenTests(
    batches.flatMap(({ trajectories }) => trajectories.flatMap((trajectory) => trajectory.turns)),
  );
  return { pool, episodes, ...(written ? { writtenTestQuality: written } : {}) };
}

/** Computes the quality of verifications; undefined if there are no verifications. A share of nothing is 0. */
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
 * Determines the difficulty of the tasks of a split for the policy of a player, which is the policy that runs start
 * from. The difficulty depends on the share of the first programs for a task that pass the hidden tests. The draws
 * belong to no run (STRATA_SEED).
 * @param options `samples` first programs of each task
 * @returns undefined if the evaluation was stopped before every task was run
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

/** The tasks that an evaluation plays. */
export function repairTasks(trainer: EpisodeSampler, { split, tasks: count }: HeldOutOptions): readonly RepairTask[] {
  const { tasks } = trainer.environment as unknown as RepairEnvironment;
  return tasks.filter(({ heldOut }) => heldOut === (split === 'held-out')).slice(0, count);
}

/** Reorders episodes that were sampled sample by sample, [samples x tasks], as [tasks][samples]. */
function bySample<Episode>(episodes: readonly Episode[], tasks: number): Episode[][] {
  return Array.from({ length: tasks }, (_, task) => episodes.filter((_, episode) => episode % tasks === task));
}

/** pass@1 of the repository environment and how its episodes go. */
export async function evaluateRepo(
  trainer: EpisodeSampler,
  options: HeldOutOptions,
): Promise<EvaluationCounts & Facts> {
  const { pool, batches } = await sampleRepo(trainer, options);
  return ratesOf(pool.length, batches);
}

/**
 * The same, and how the rollouts of a problem meet.
 * @param sizes of groups, from 2 to `samples`
 * @returns no sharing where it was stopped before every problem was played `samples` times
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
 * The same, and which episodes of each problem are solved: [problems][samples].
 * @returns no such list where it was stopped before every problem was played `samples` times
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
 * Determines the difficulty of the problems for the policy that runs start from, by their position in the split. The
 * draws belong to no run.
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

/** Batches of one repetition: its keys of draws are those of no other. */
const RUN_KEYS = 0x10_0000;

/**
 * Returns the key of the draws of a batch of a repetition, or of another part of the repetition that has separate
 * draws.
 * @param batch below RUN_KEYS
 */
export function drawKey(run: number, batch: number): number {
  return run * RUN_KEYS + batch;
}

/** Plays every task `samples` times, one sample of all tasks after another. @param sequences of an episode at most */
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
