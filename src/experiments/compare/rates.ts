import { countEpisodes, type Facts } from '../../environments/fact.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { largestFact } from '../../rollouts/counting.ts';
import type { Rollout, RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { environmentName } from '../../training/data/configurationTables.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import { mean } from '../statistics.ts';

/** What a policy does when it is only watched: shares of episodes, mean rewards, entropy at its tokens in nats. */
export interface Rates {
  readonly episodes: number;
  readonly toolUse: number;
  readonly retrieval: number;
  readonly answer: number;
  readonly format: number;
  /** Right answers among the episodes whose document held the answer. */
  readonly answerGivenRetrieval: number;
  /** Right answers among the episodes that did not even try to search. */
  readonly answerWithoutSearch: number;
  /** Executed searches an episode. */
  readonly searches: number;
  readonly rewardTurn: number;
  readonly rewardOutcome: number;
  readonly entropy: number;
}

/** Episodes of one batch of an evaluation; the most that a trainer's buffers hold. */
const BATCH = 256;

/** Rates over the rollouts of several batches. */
function rates(batches: readonly RolloutBatch[]): Rates {
  const rollouts = batches.flatMap((batch) => batch.rollouts);
  const share = (name: string, of: readonly Rollout[] = rollouts) =>
    mean(of.map((rollout) => largestFact(rollout, name)));
  const early = ({ turns }: Rollout) => turns.slice(0, -1);
  const found = rollouts.filter((rollout) => largestFact(rollout, 'retrieval') > 0);
  const untried = rollouts.filter((rollout) => early(rollout).every(({ facts }) => !facts.attempted));
  return {
    episodes: rollouts.length,
    toolUse: share('toolUse'),
    retrieval: share('retrieval'),
    answer: share('answer'),
    format: share('format'),
    answerGivenRetrieval: share('answer', found),
    answerWithoutSearch: share('answer', untried),
    searches: share('searches'),
    rewardTurn: mean(rollouts.map((rollout) => early(rollout).reduce((sum, { reward }) => sum + reward, 0))),
    rewardOutcome: mean(rollouts.map(({ turns }) => turns.at(-1)?.outcome ?? 0)),
    entropy: mean(rollouts.flatMap(({ entropy }) => [...entropy].filter((value) => !Number.isNaN(value)))),
  };
}

/**
 * Lets the present policy play `episodes` tasks of a split once each, without learning.
 * @param signal stops between batches; the rates are then over what was played
 */
export async function evaluate(
  trainer: Trainer,
  episodes: number,
  split: 'train' | 'held-out',
  signal?: AbortSignal,
): Promise<Rates> {
  return rates(await playDrawn(trainer, episodes, BATCH, split, signal));
}

/**
 * The facts that an environment counts itself (EnvironmentDescriptor.facts), over episodes of drawn tasks.
 * @param signal stops between batches; the facts are then of what was played
 */
export async function evaluateFacts(
  trainer: Trainer,
  episodes: number,
  split: 'train' | 'held-out',
  signal?: AbortSignal,
): Promise<Facts> {
  const { facts } = ENVIRONMENTS[environmentName(trainer.environment.name)];
  const batches = await playDrawn(trainer, episodes, trainer.roomFor(), split, signal);
  const trajectories = batches.flatMap((batch) => batch.trajectories);
  return { episodes: trajectories.length, ...countEpisodes(facts, { trajectories }) };
}

/** Plays drawn tasks once each, so many at a time. */
async function playDrawn(
  trainer: Trainer,
  episodes: number,
  size: number,
  split: 'train' | 'held-out',
  signal: AbortSignal | undefined,
): Promise<RolloutBatch[]> {
  const batches: RolloutBatch[] = [];
  for (let played = 0; played < episodes && !signal?.aborted; played += size) {
    batches.push(await trainer.evaluate(Math.min(size, episodes - played), split, batches.length));
  }
  return batches;
}
