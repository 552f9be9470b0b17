import type { Episode, Timing } from '../../src/environments/environment.ts';
import { measureDisplayedGroup } from '../../src/experiments/truth/measureSelected.ts';
import { CounterRandom, STREAMS } from '../../src/random/counter.ts';
import type { RolloutTurn, Trajectory } from '../../src/rollouts/rolloutBatch.ts';
import type { SampledBatch, Start } from '../../src/training/collect/collector.ts';
import type { DisplayedGroup, MeasureTruth, TruthMeasurer } from '../../src/training/worker/measuring.ts';

/** Maximum number of episodes of a batch of continuations: few, so that a measurement reports its progress often. */
const MAXIMUM_EPISODES = 16;
/** Share of continuations that repeat a rollout with the same history; the others repeat any rollout of the group. */
const SAME_HISTORY = 0.75;

/** Episode that returns the recorded turns of a trajectory, regardless of the actions. */
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
 * Measures true advantages without a policy: continuations repeat recorded rollouts of the displayed group. Rounds,
 * progress, cancellation, agreement and intervals are those of the product.
 */
export const measureScripted: MeasureTruth = (trainer, target, request, hooks) =>
  measureDisplayedGroup(scriptedMeasuring(trainer, target), target, request, hooks);

/** Returns a trainer with replayed episodes, repeated rollouts as continuations, and gradients without context. */
function scriptedMeasuring(trainer: TruthMeasurer, { batch, group }: DisplayedGroup): TruthMeasurer {
  const { seed } = trainer;
  // Without a policy there are no exact values.
  const { counted: _, ...environment } = trainer.environment;
  const trajectories = batch.trajectories.filter((candidate) => candidate.group === group);
  let next = 0;
  return {
    ...{ seed, step: trainer.step, controls: trainer.controls },
    environment: { ...environment, begin: () => new ReplayedEpisode(trajectories[next++].turns) as Episode<Timing> },
    capacityFor: (sequences) => Math.min(trainer.capacityFor(sequences), MAXIMUM_EPISODES),
    play: async (tasks, key, evaluation = {}) => {
      const sampled = await trainer.play(tasks, key, evaluation);
      return evaluation.starts ? continued(batch, group, evaluation.starts, random(seed, key)) : sampled;
    },
    gradient: async (of, advantage) => tokenGradient(of, advantage, environment.vocabulary.size),
    tokenProbabilities: (contexts) => trainer.tokenProbabilities(contexts),
    runCustomRules: (rules, groups) => trainer.runCustomRules(rules, groups),
    addRuleInputs: (rules, of, key) => trainer.addRuleInputs(rules, of, key),
    valuedBy: (rules, of) => trainer.valuedBy(rules, of),
  };
}

const random = (seed: number, key: number) => new CounterRandom(seed, STREAMS.evaluation, key);

/** Returns a batch with one group per start: the displayed group, in which the rest of one rollout is played. */
function continued(batch: SampledBatch, group: number, starts: readonly Start[], draws: CounterRandom): SampledBatch {
  const { forest, groups, trajectories } = batch;
  const recorded = trajectories.filter((candidate) => candidate.group === group);
  const rests = starts.map(({ episode, turn }, index): Trajectory => {
    const { turns: past } = episode as unknown as ReplayedEpisode;
    const hasTurn = ({ turns }: Trajectory) => turns.length > turn;
    const hasSameHistory = (trajectory: Trajectory) =>
      hasTurn(trajectory) && trajectory.turns.slice(0, turn).every(({ summary }, at) => summary === past[at].summary);
    const candidates = recorded.filter(draws.next() < SAME_HISTORY ? hasSameHistory : hasTurn);
    return { group: index, turns: candidates[draws.integer(candidates.length)].turns.slice(turn) };
  });
  return {
    ...batch,
    groups: starts.map(() => groups[group]),
    forest: { ...forest, groupOffset: Uint32Array.from(starts, () => forest.groupOffset[group]) },
    trajectories: rests,
  };
}

/** Returns the mean advantage of the turns that wrote each token of the vocabulary, [vocabulary]. */
function tokenGradient(batch: Parameters<TruthMeasurer['gradient']>[0], advantage: ArrayLike<number>, size: number) {
  const gradient = new Float32Array(size);
  for (const { tokens, turnOf, turns } of batch.rollouts) {
    tokens.forEach((token, at) => {
      if (turnOf[at] >= 0) gradient[token] += advantage[turns[turnOf[at]].forestTurn] / batch.policyTokens;
    });
  }
  return gradient;
}
