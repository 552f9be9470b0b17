import type { TrainedValueNetwork } from '../../engine/engine.ts';
import type { AdamWStep, ReportLine, Sequence } from '../../engine/shared.ts';
import type { ModelRewards, WrittenTurn } from '../../environments/environment.ts';
import { cos } from '../../numbers/trigonometry.ts';
import { turnTokens } from '../collect/batch.ts';
import type { Measurer } from '../run/measurer.ts';
import type { Trainer } from '../run/trainer.ts';
import {
  accuracyOf,
  distinct,
  mislabelled,
  type Pair,
  type PairAccuracy,
  pairsOf,
  pairsOfStep,
  type Scored,
} from './pairs.ts';
import { appendDummyTarget, valuesOf } from './rewardModel.ts';
import type { Centre, RewardModelPlan, RewardModelProgress, SavedRewardModel } from './rewardModelFile.ts';

/** Number of pairs per step. */
const BATCH = 64;
/** Maximum learning rate, after a linear warm-up and before a cosine decay to 0. */
const LEARNING_RATE = 1e-3;
const WARM_UP_STEPS = 20;
const OPTIMIZER: Omit<AdamWStep, 'learningRate'> = {
  beta1: 0.9,
  beta2: 0.98,
  epsilon: 1e-8,
  weightDecay: 0.05,
  clipNorm: 1,
};

/** Result of a step. */
export interface PreferenceStep {
  /** Number of finished steps. */
  readonly done: number;
  /** Mean of -log sigmoid(better - worse) over the pairs of the step [nats]. */
  readonly loss: number;
  /** Share of the pairs in which the better reading had the larger value, 0 to 1. */
  readonly right: number;
}

/**
 * Samples all tasks of a split with the current policy, and scores each turn by its true or biased quality. Repeated
 * turns are not merged.
 * @param samples number of rollouts per task, drawn at temperature 1
 * @param progress called with the number of finished tasks and of all tasks. An error that it throws ends the sampling
 */
export async function scoredTurns(
  trainer: Trainer,
  split: 'train' | 'held-out',
  { samples, seed, bias }: Pick<RewardModelPlan, 'samples' | 'seed' | 'bias'>,
  progress: (done: number, of: number) => void,
): Promise<readonly Scored[]> {
  const { reads, scored, lean } = requireModelRewards(trainer);
  if (bias > 0 && lean === undefined) {
    throw new RangeError(`no bias is known to reward models of the environment "${trainer.environment.name}"`);
  }
  const plan = { samples, seed, temperature: 1, turns: trainer.environment.maxTurns, key: 0 };
  const turns = await sampleTurns(trainer.measurer, split, plan, progress);
  return turns.map(({ number, ...turn }) => ({ task: number, ...reads(turn), score: scored(turn, bias) }));
}

/**
 * Training of a reward model on pairs, in the buffers of the policy. The model is a critic that starts from the trunk
 * of the policy. A step depends only on its number, the plan and the pairs, so a resumed training results in the same
 * model.
 */
export class RewardModelTraining {
  private constructor(
    private readonly trainer: Trainer,
    readonly model: TrainedValueNetwork,
    private readonly plan: RewardModelPlan,
  ) {}

  static async open(trainer: Trainer, plan: RewardModelPlan): Promise<RewardModelTraining> {
    return new RewardModelTraining(trainer, await trainer.engine.trainValueNetwork(plan.seed), plan);
  }

  /** Number of finished steps. */
  get done(): number {
    return this.model.steps;
  }

  /**
   * Trains until all steps of the plan are finished, or until the signal is aborted.
   * @param progress called for each step when its results have arrived, one step late
   * @throws {Error} if the loss is not finite
   */
  async train(pairs: readonly Pair[], progress: (step: PreferenceStep) => void, signal?: AbortSignal): Promise<void> {
    if (pairs.length === 0) throw new Error('there are no pairs to train on: all turns of a task are as good');
    let pending: Promise<void> = Promise.resolve();
    while (this.done < this.plan.steps && !signal?.aborted) {
      const stepped = this.step(pairs);
      const { done } = this;
      const arrived = stepped.then(({ loss, entropy: right }) => {
        if (!Number.isFinite(loss)) throw new Error(`step ${done}: the loss is not finite`);
        progress({ done, loss, right });
      });
      // Awaited a step later; a rejection until then must not count as unhandled.
      arrived.catch(() => {});
      await pending;
      pending = arrived;
    }
    await pending;
  }

  /** Computes the mean value of distinct readings, by kind if they have kinds, which are never compared. */
  async centre(scored: readonly Scored[]): Promise<Centre> {
    const kinds = [...new Set(scored.map(({ kind }) => kind))];
    const means: Record<string, number> = {};
    for (const kind of kinds) means[kind ?? ''] = await this.mean(scored.filter((entry) => entry.kind === kind));
    return kinds[0] === undefined ? means[''] : means;
  }

  private async mean(scored: readonly Scored[]): Promise<number> {
    const values = await this.values(distinct(scored));
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  }

  /** Computes the accuracy of the model on pairs. */
  async accuracy(pairs: readonly Pair[]): Promise<PairAccuracy> {
    const written = distinct(pairs.flatMap(({ better, worse }) => [better, worse]));
    const values = await this.values(written);
    const known = new Map(written.map(({ tokens }, index) => [tokens.join(), values[index]]));
    const value = ({ tokens }: Scored) => known.get(tokens.join()) as number;
    return accuracyOf(pairs.map(({ better, worse }) => value(better) - value(worse)));
  }

  private values(written: readonly Scored[]): Promise<Float64Array> {
    return valuesOf(
      this.model,
      this.trainer.engine,
      written.map(({ tokens }) => tokens),
    );
  }

  private step(pairs: readonly Pair[]): Promise<ReportLine> {
    const { steps, seed } = this.plan;
    const step = this.done;
    const chosen = pairsOfStep(pairs, BATCH, step, seed);
    const sequences = chosen
      .flatMap(({ better, worse }) => [better, worse])
      .map(({ tokens }): Sequence => {
        const sequenceTokens = appendDummyTarget(tokens);
        const weights = sequenceTokens.map((_, at) => (at === sequenceTokens.length - 1 ? 1 / chosen.length : 0));
        return { tokens: sequenceTokens, weights, credits: sequenceTokens, slot: 0 };
      });
    return this.model.step(sequences, { ...OPTIMIZER, learningRate: rateOf(step, steps) });
  }
}

function rateOf(step: number, steps: number): number {
  return LEARNING_RATE * Math.min(1, (step + 1) / WARM_UP_STEPS) * 0.5 * (1 + cos((Math.PI * step) / steps));
}

/** Sampling plan for all tasks of a split. */
export interface TurnPlan {
  /** Number of rollouts per task. */
  readonly samples: number;
  /** Maximum number of turns of a rollout. */
  readonly turns: number;
  readonly temperature: number;
  readonly seed: number;
  /** Key of the draws, to which the index of each batch is added. */
  readonly key: number;
}

/** Sampled turn, with the number of its task in the split. */
export interface SampledTurn extends WrittenTurn<unknown> {
  readonly number: number;
}

/** Returns the model rewards of the environment. @throws {Error} if the environment does not support reward models */
export function requireModelRewards({ environment }: Pick<Trainer, 'environment'>): ModelRewards<unknown> {
  if (environment.learnedReward) return environment.learnedReward;
  throw new Error(`no learned model pays turns in the environment "${environment.name}"`);
}

/**
 * Samples all tasks of a split with the current policy, as in training. The turns are sorted by task, rollout and turn.
 * Repeated turns are not merged.
 * @param progress called with the number of finished tasks and of all tasks. An error that it throws ends the sampling
 */
export async function sampleTurns(
  measurer: Pick<Measurer, 'environment' | 'capacityFor' | 'play'>,
  split: 'train' | 'held-out',
  { samples, turns, temperature, seed, key }: TurnPlan,
  progress: (done: number, of: number) => void,
): Promise<readonly SampledTurn[]> {
  const tasks = requireModelRewards(measurer).tasks(split);
  const capacity = measurer.capacityFor(samples * (measurer.environment.freshPrompts ? turns : 1));
  if (capacity === 0) throw new RangeError(`there is no room for ${samples} rollouts of ${turns} turns`);
  const all: SampledTurn[] = [];
  for (let from = 0; from < tasks.length; from += capacity) {
    const batch = tasks.slice(from, from + capacity);
    const { rollouts } = await measurer.play(batch, key + from, {
      branching: [samples, 1],
      sampling: { temperature, topP: 1, topK: 0 },
      seed,
      play: { mode: 'train', maxTurns: turns },
    });
    for (const rollout of rollouts) {
      rollout.turns.forEach((result, index) => {
        all.push({
          number: from + rollout.group,
          task: batch[rollout.group],
          ...turnTokens(rollout, index),
          stepResult: result,
        });
      });
    }
    progress(Math.min(from + capacity, tasks.length), tasks.length);
  }
  return all;
}

/** Trained reward model, finished or stopped. */
export interface TrainedModel {
  readonly model: {
    readonly progress: RewardModelProgress;
    readonly state: Omit<SavedRewardModel['state'], 'reference' | 'critic'>;
  };
  readonly training: RewardModelTraining;
  /** Training pairs of the model, in the order of pairsOf. */
  readonly pairs: readonly Pair[];
}

export interface ModelHooks {
  /** Called at the start of the training with the number of pairs and of finished steps. */
  readonly onStart?: (pairs: number, done: number) => void;
  readonly step?: (step: PreferenceStep) => void;
  /** Stops the training after the current step. The model then has no centre. */
  readonly signal?: AbortSignal;
}

/**
 * Trains a reward model on turns, from the trunk of the trainer's policy.
 * @param saved model to resume. A finished model is returned unchanged
 */
export async function trainedOnTurns(
  trainer: Trainer,
  turns: readonly Scored[],
  { steps, pairs: pairLimit, samples, seed, noise, bias }: RewardModelPlan,
  { onStart, step, signal }: ModelHooks,
  saved?: SavedRewardModel,
): Promise<TrainedModel> {
  const plan = { steps, pairs: pairLimit, samples, seed, noise, bias };
  const pairs = mislabelled(pairsOf(turns, seed, pairLimit), noise, seed);
  const training = await RewardModelTraining.open(trainer, plan);
  if (saved) training.model.writeState(saved.state);
  // A finished model has no saved moments, so a further step would start with new moments.
  if (saved && saved.progress.centre !== null) {
    const { progress, state } = saved;
    return { model: { progress, state: { ...state, steps } }, training, pairs };
  }
  onStart?.(pairs.length, training.done);
  await training.train(pairs, (progress) => step?.(progress), signal);
  const { done } = training;
  const centre = done === steps ? await training.centre(turns) : null;
  return { model: { progress: { ...plan, done, centre }, state: await training.model.readState() }, training, pairs };
}
