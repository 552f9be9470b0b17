import { largestFact, meanOrNull, type Rollout, type RolloutBatch } from '../../rollouts/rolloutBatch.ts';

/** Rates of a policy without training: shares of episodes, mean rewards, and the entropy at its tokens [nats]. */
export interface Rates {
  readonly episodes: number;
  readonly toolUse: number;
  readonly retrieval: number;
  readonly answer: number;
  readonly format: number;
  /** Share of right answers among the episodes whose document contains the answer. */
  readonly answerGivenRetrieval: number;
  /** Share of right answers among the episodes without an attempt to search. */
  readonly answerWithoutSearch: number;
  /** Number of executed searches per episode. */
  readonly searches: number;
  readonly rewardTurn: number;
  readonly rewardOutcome: number;
  readonly entropy: number;
}

/** Returns the mean, or NaN for an empty list. */
const mean = (values: readonly number[]) => meanOrNull(values) ?? NaN;

/** Computes the rates over the rollouts of several batches. */
export function rates(batches: readonly RolloutBatch[]): Rates {
  const rollouts = batches.flatMap((batch) => batch.rollouts);
  const share = (name: string, of: readonly Rollout[] = rollouts) =>
    mean(of.map((rollout) => largestFact(rollout, name)));
  const early = ({ turns }: Rollout) => turns.slice(0, -1);
  const successful = rollouts.filter((rollout) => largestFact(rollout, 'retrieval') > 0);
  const untried = rollouts.filter((rollout) => early(rollout).every(({ facts }) => !facts.attempted));
  return {
    episodes: rollouts.length,
    toolUse: share('toolUse'),
    retrieval: share('retrieval'),
    answer: share('answer'),
    format: share('format'),
    answerGivenRetrieval: share('answer', successful),
    answerWithoutSearch: share('answer', untried),
    searches: share('searches'),
    rewardTurn: mean(rollouts.map((rollout) => early(rollout).reduce((sum, { reward }) => sum + reward, 0))),
    rewardOutcome: mean(rollouts.map(({ turns }) => turns.at(-1)?.outcome ?? 0)),
    entropy: mean(rollouts.flatMap(({ entropy }) => [...entropy].filter((value) => !Number.isNaN(value)))),
  };
}
