import type { Demonstration, WarmStartStage } from '../../environments/environment.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import { itemsOfStep } from '../../random/passes.ts';

/** Number of examples per step, as in the warm start of Repair. */
export const BATCH = 112;
const WARM_UP_STEPS = 20;

/** Settings of the imitation of relabelled turns. */
export interface ImitationPlan {
  /** Number of passes over all examples. */
  readonly epochs: number;
  /** Maximum learning rate, after a linear warm-up and before a cosine decay. */
  readonly learningRate: number;
  readonly seed: number;
}

/**
 * Returns a stage that trains on examples with cross-entropy. Each pass has a different order, which depends only on
 * the seed.
 * @throws {RangeError} if there are no examples
 */
export function imitationStage(
  examples: readonly Demonstration[],
  { epochs, learningRate, seed }: ImitationPlan,
): WarmStartStage {
  if (examples.length === 0) throw new RangeError('imitation needs at least one example');
  const batch = Math.min(BATCH, examples.length);
  const orderOf = (pass: number) => new CounterRandom(seed, STREAMS.imitation, pass).permutation(examples.length);
  return {
    name: 'imitation',
    steps: Math.ceil((epochs * examples.length) / batch),
    batch,
    learningRate,
    warmUpSteps: WARM_UP_STEPS,
    optimizer: { weightDecay: 0.05 },
    demonstrations: (step) => [...itemsOfStep(examples, batch, step, orderOf)],
  };
}
