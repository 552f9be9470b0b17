import type { AnyEnvironment, EpisodeOptions } from '../../environments/environment.ts';
import { appendRewardToSummary } from '../../environments/shared/rewardSummary.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RolloutBatch, Trajectory } from '../../rollouts/rolloutBatch.ts';
import type { Return } from '../data/returns.ts';
import type { Evaluation, Start } from './collectRequest.ts';
import { turnTokens } from './turnTokens.ts';

/** The points that a group's rollouts came by, each once: rollouts that began with the same turns share theirs. */
export interface Histories {
  readonly starts: readonly Start[];
  /** [trajectories][turns] index in `starts` of where the turn was taken. */
  readonly before: readonly (readonly number[])[];
}

/**
 * Goes through the rollouts of a group again and stops before each of their turns.
 * @param batch as played, under these controls
 * @param play how, where it was not as in training
 * @throws {Error} for an environment whose episodes cannot be forked, or that answers otherwise than it did
 */
export async function histories(
  environment: AnyEnvironment,
  task: unknown,
  controls: ParameterValues,
  batch: RolloutBatch,
  group: number,
  play?: EpisodeOptions,
): Promise<Histories> {
  const starts: Start[] = [];
  const known = new Map<string, number>();
  const before: number[][] = [];
  for (const trajectory of batch.trajectories.filter((candidate) => candidate.group === group)) {
    const episode = environment.begin(task, controls, play);
    const positions: number[] = [];
    let path = '';
    for (const [turn, { before: tokens, written }] of tokensOfTurns(batch, trajectory).entries()) {
      let at = known.get(path);
      if (at === undefined) {
        if (!episode.fork) {
          throw new Error(
            `episodes of the environment "${environment.name}" cannot be forked: no continuations are possible`,
          );
        }
        at = starts.push({ task, episode: episode.fork(), tokens, turn }) - 1;
        known.set(path, at);
      }
      positions.push(at);
      path += `${written.join()};`;
      const { summary } = await episode.act(written);
      const { summary: recorded } = trajectory.turns[turn];
      if (recorded !== summary && !recorded.startsWith(appendRewardToSummary(summary, ''))) {
        throw new Error(`turn ${turn + 1} was "${recorded}" and is "${summary}" again`);
      }
    }
    before.push(positions);
  }
  return { starts, before };
}

/** Returns the tokens that the policy saw before each turn of a trajectory, and those that it wrote in the turn. */
export function tokensOfTurns({ rollouts }: RolloutBatch, { turns }: Trajectory) {
  return turns.map((turn) => {
    const rollout = rollouts.find((candidate) => candidate.turns.includes(turn));
    if (!rollout) throw new Error(`turn ${turn.forestTurn} belongs to no rollout of its batch`);
    return turnTokens(rollout, rollout.turns.indexOf(turn));
  });
}

/**
 * [turns] r_t of a trajectory: the outcome on its last turn, and for `rewards` the components of every turn, which are
 * what the environment counts once, with the bonus.
 */
export function turnRewards(batch: RolloutBatch, { group, turns }: Trajectory, { kind, bonus }: Return): number[] {
  const { groups, forest } = batch;
  return turns.map(({ forestTurn, components, outcome = 0 }) => {
    if (kind === 'outcome') return outcome;
    const { validates } = groups[group].turns[forestTurn - forest.groupOffset[group]];
    return Object.values(components).reduce((sum, part) => sum + part, validates ? bonus : 0);
  });
}

/** G of a trajectory's first turn: the sum of gamma^t r_t. */
export function discountedSum(rewards: readonly number[], gamma: number): number {
  return rewards.reduceRight((sum, reward) => reward + gamma * sum, 0);
}

/** Trainer that samples the continuations. */
export interface ContinuationSampler {
  /** Episodes that there is surely room for. @param sequences that one may take */
  capacityFor(sequences: number): number;
  play(tasks: readonly unknown[], key: number, evaluation: Evaluation): Promise<RolloutBatch>;
}

/** Start points of the continuations and the number of continuations. */
export interface ContinuationPlan {
  readonly starts: readonly Start[];
  /** Continuations of each start. */
  readonly count: number;
  readonly counts: Return;
  /** Sequences that an episode takes at most: one, or one a turn where turns start from fresh prompts. */
  readonly sequences: number;
  /** First of the keys of the draws; one a batch is taken. */
  readonly key: number;
}

/** Batches that a plan takes. */
export function batchesOf(
  { starts, count, sequences }: Omit<ContinuationPlan, 'counts' | 'key'>,
  sampler: ContinuationSampler,
) {
  return Math.ceil((starts.length * count) / sampler.capacityFor(sequences));
}

/**
 * Samples continuations of every start with the present policy, as many at a time as there is room for. Starts with many
 * turns behind them come first, so that episodes of a batch end at about the same time.
 * @param onBatch after every batch; a promise is waited for
 * @returns [starts][count] the return of each from its start on; fewer of them where it was stopped
 */
export async function continuations(
  sampler: ContinuationSampler,
  plan: ContinuationPlan,
  signal?: AbortSignal,
  onBatch?: () => unknown,
): Promise<number[][]> {
  const { starts, count, counts, sequences, key } = plan;
  const order = [...starts.keys()].sort((a, b) => starts[b].turn - starts[a].turn);
  const all = order.flatMap((start) => Array.from({ length: count }, () => start));
  const capacity = sampler.capacityFor(sequences);
  const returns: number[][] = starts.map(() => []);
  for (let first = 0; first < all.length; first += capacity) {
    if (signal?.aborted) break;
    const now = all.slice(first, first + capacity);
    const tasks = now.map((start) => starts[start].task);
    const batch = await sampler.play(tasks, key + first / capacity, { starts: now.map((start) => starts[start]) });
    if (batch.groups.length < now.length) throw new Error(`${now.length} continuations did not fit one batch`);
    for (const trajectory of batch.trajectories) {
      returns[now[trajectory.group]].push(discountedSum(turnRewards(batch, trajectory, counts), counts.gamma));
    }
    await onBatch?.();
  }
  return returns;
}
