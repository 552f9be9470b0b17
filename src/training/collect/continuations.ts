import { type AnyEnvironment, appendRewardToSummary, type EpisodeOptions } from '../../environments/environment.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RolloutBatch, Trajectory } from '../../rollouts/rolloutBatch.ts';
import type { Return } from '../data/truthReport.ts';
import { turnTokens } from './batch.ts';
import type { Evaluation, Start } from './collector.ts';

/** Distinct points of the rollouts of a group before each turn. Rollouts with equal first turns share points. */
export interface Histories {
  readonly starts: readonly Start[];
  /** [trajectories][turns] index in `starts` of the point before the turn. */
  readonly before: readonly (readonly number[])[];
}

/**
 * Replays the rollouts of a group and forks the episode before each turn.
 * @param controls controls under which the batch was sampled
 * @param play settings of its episodes; those of training if undefined
 * @throws {Error} if episodes cannot be forked, or the summary of a replayed turn differs
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

/** Returns the context of the policy before each turn of a trajectory, and the tokens that it wrote in the turn. */
export function tokensOfTurns({ rollouts }: RolloutBatch, { turns }: Trajectory) {
  return turns.map((turn) => {
    const rollout = rollouts.find((candidate) => candidate.turns.includes(turn));
    if (!rollout) throw new Error(`turn ${turn.forestTurn} belongs to no rollout of its batch`);
    return turnTokens(rollout, rollout.turns.indexOf(turn));
  });
}

/**
 * Returns [turns] the rewards r_t of a trajectory. For `outcome`, only the last turn has a reward. For `rewards`, it is
 * the sum of the turn's components, plus the bonus of a validating turn.
 */
export function turnRewards(batch: RolloutBatch, { group, turns }: Trajectory, { kind, bonus }: Return): number[] {
  const { groups, forest } = batch;
  return turns.map(({ forestTurn, components, outcome = 0 }) => {
    if (kind === 'outcome') return outcome;
    const { validates } = groups[group].turns[forestTurn - forest.groupOffset[group]];
    return Object.values(components).reduce((sum, part) => sum + part, validates ? bonus : 0);
  });
}

/** Returns G of the first turn: the sum of gamma^t r_t. */
export function discountedSum(rewards: readonly number[], gamma: number): number {
  return rewards.reduceRight((sum, reward) => reward + gamma * sum, 0);
}

/** Trainer that samples the continuations. */
export interface ContinuationSampler {
  /** Returns the number of episodes that certainly fit. @param sequences maximum number of sequences of an episode */
  capacityFor(sequences: number): number;
  play(tasks: readonly unknown[], key: number, evaluation: Evaluation): Promise<RolloutBatch>;
}

/** Plan of the continuations of a set of start points. */
export interface ContinuationPlan {
  readonly starts: readonly Start[];
  /** Number of continuations of each start. */
  readonly count: number;
  readonly counts: Return;
  /** Maximum number of sequences of an episode: 1, or the number of turns if turns start from fresh prompts. */
  readonly sequences: number;
  /** First key of the draws. Each batch uses one key. */
  readonly key: number;
}

/** Returns the number of batches of a plan. */
export function batchesOf(
  { starts, count, sequences }: Omit<ContinuationPlan, 'counts' | 'key'>,
  sampler: ContinuationSampler,
) {
  return Math.ceil((starts.length * count) / sampler.capacityFor(sequences));
}

/**
 * Samples continuations of each start with the current policy, in batches of the maximum size. Starts at later turns
 * are sampled first, so that the episodes of a batch end at about the same time.
 * @param signal stops the sampling after a batch
 * @param onBatch called after each batch; its promise is awaited
 * @returns [starts][count] the return of each continuation from its start on; fewer if the sampling was stopped
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
