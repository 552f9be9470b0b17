import type { Episode, Timing } from '../../src/environments/environment.ts';
import { measureShown } from '../../src/experiments/truth/measureShown.ts';
import { CounterRandom, STREAMS } from '../../src/random/counter.ts';
import type { RolloutTurn, Trajectory } from '../../src/rollouts/rolloutBatch.ts';
import type { PlayedBatch, Start } from '../../src/training/collect/collectRequest.ts';
import type { MeasureTruth, MeasuringTrainer, Shown } from '../../src/training/worker/measuring.ts';

/** Episodes of a batch of continuations: few, so that a measurement has many batches and reports its progress often. */
const ROOM = 16;
/** Share of continuations that repeat a rollout with the same history; the others repeat any rollout of the group. */
const SAME_HISTORY = 0.75;

/** Episode that returns the recorded verdicts of a trajectory, whatever the policy writes. */
class ReplayedEpisode implements Episode {
  constructor(
    readonly turns: readonly RolloutTurn[],
    private turn = 0,
  ) {}

  act(): RolloutTurn {
    return this.turns[this.turn++];
  }

  fork(): ReplayedEpisode {
    return new ReplayedEpisode(this.turns, this.turn);
  }
}

/**
 * Measures true advantages as the product does, without a policy: continuations repeat recorded rollouts of the shown
 * group. Rounds, progress, cancellation, agreement and intervals are those of the product.
 */
export const measureScripted: MeasureTruth = (trainer, shown, request, hooks) =>
  measureShown(scriptedMeasuring(trainer, shown), shown, request, hooks);

/** The trainer with replayed episodes, repeated rollouts as continuations, and gradients of a policy without context. */
function scriptedMeasuring(trainer: MeasuringTrainer, { batch, group }: Shown): MeasuringTrainer {
  const { environment, seed } = trainer;
  const trajectories = batch.trajectories.filter((one) => one.group === group);
  let begun = 0;
  return {
    ...{ seed, step: trainer.step, controls: trainer.controls },
    environment: { ...environment, begin: () => new ReplayedEpisode(trajectories[begun++].turns) as Episode<Timing> },
    roomFor: (sequences) => Math.min(trainer.roomFor(sequences), ROOM),
    play: async (tasks, key, evaluation = {}) => {
      const played = await trainer.play(tasks, key, evaluation);
      return evaluation.starts ? continued(batch, group, evaluation.starts, random(seed, key)) : played;
    },
    gradient: async (of, advantage) => tokenGradient(of, advantage, environment.vocabulary.size),
    workOut: (rules, groups) => trainer.workOut(rules, groups),
    readableBy: (rules, of, key) => trainer.readableBy(rules, of, key),
    valuedBy: (rules, of) => trainer.valuedBy(rules, of),
  };
}

const random = (seed: number, key: number) => new CounterRandom(seed, STREAMS.evaluation, key);

/** A batch with one group per start: the shown group, of which the rest of one rollout is played. */
function continued(batch: PlayedBatch, group: number, starts: readonly Start[], draws: CounterRandom): PlayedBatch {
  const { forest, groups, trajectories } = batch;
  const recorded = trajectories.filter((one) => one.group === group);
  const played = starts.map(({ episode, turn }, index): Trajectory => {
    const { turns } = episode as unknown as ReplayedEpisode;
    const isLongEnough = (one: Trajectory) => one.turns.length > turn;
    const hasSameHistory = (one: Trajectory) =>
      isLongEnough(one) && one.turns.slice(0, turn).every(({ summary }, at) => summary === turns[at].summary);
    const candidates = recorded.filter(draws.next() < SAME_HISTORY ? hasSameHistory : isLongEnough);
    return { group: index, turns: candidates[draws.integer(candidates.length)].turns.slice(turn) };
  });
  return {
    ...batch,
    groups: starts.map(() => groups[group]),
    forest: { ...forest, groupOffset: Uint32Array.from(starts, () => forest.groupOffset[group]) },
    trajectories: played,
  };
}

/** [tokens of the vocabulary] mean advantage of the turns that wrote each token. */
function tokenGradient(batch: Parameters<MeasuringTrainer['gradient']>[0], advantage: ArrayLike<number>, size: number) {
  const gradient = new Float32Array(size);
  for (const { tokens, turnOf, turns } of batch.rollouts) {
    tokens.forEach((token, at) => {
      if (turnOf[at] >= 0) gradient[token] += advantage[turns[turnOf[at]].forestTurn] / batch.policyTokens;
    });
  }
  return gradient;
}
