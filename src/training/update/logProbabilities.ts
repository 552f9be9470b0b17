import type { Engine } from '../../engine/engine.ts';
import type { Sequence } from '../../engine/shared.ts';
import type { AnyEnvironment } from '../../environments/environment.ts';
import { exp } from '../../numbers/exponential.ts';
import { completeRollouts, type Rollout } from '../../rollouts/rolloutBatch.ts';
import type { SampledBatch } from '../collect/collector.ts';

/**
 * Computes the log-probabilities of turns under the current policy, at temperature 1 as in the surrogate. The policy
 * does not change.
 * @returns [rollouts][turns] sums over the tokens of each turn [nats]
 */
async function logProbabilities(engine: Engine, rollouts: readonly Rollout[]): Promise<readonly (readonly number[])[]> {
  const sequences = rollouts.map(({ tokens, turnOf }) =>
    targetsOf(
      tokens,
      Array.from(turnOf, (turn) => turn >= 0),
    ),
  );
  const values = await engine.logProbabilities(sequences);
  let target = 0;
  return rollouts.map(({ turnOf, turns }) => {
    const sums = turns.map(() => 0);
    for (const turn of turnOf) if (turn >= 0) sums[turn] += values[target++];
    return sums;
  });
}

/** Sequence that ends with the right answer. */
export interface Question {
  readonly tokens: readonly number[];
  /** Number of its last tokens that are the answer. */
  readonly answer: number;
}

/**
 * Computes the probability of answers under the current policy, in passes that fit the engine.
 * @returns [questions] mean log-probability over the tokens of the answer [nats]
 */
export async function answerProbabilities(engine: Engine, questions: readonly Question[]): Promise<Float64Array> {
  const means = new Float64Array(questions.length);
  for (const { from, items } of passes(engine, questions)) {
    const sequences = items.map(({ tokens, answer }) =>
      targetsOf(
        tokens,
        tokens.map((_, at) => at >= tokens.length - answer),
      ),
    );
    const values = await engine.logProbabilities(sequences);
    let target = 0;
    items.forEach(({ answer }, index) => {
      let sum = 0;
      for (let token = 0; token < answer; token++) sum += values[target++];
      means[from + index] = sum / answer;
    });
  }
  return means;
}

/**
 * Computes the distribution of the next token under the current policy: the normalised p^(1/T), which is the softmax of
 * the logits divided by T.
 * @param contexts tokens before the next token
 * @param size size of the vocabulary
 * @param temperature T
 * @returns [contexts][vocabulary] probabilities that sum to 1
 */
export async function nextTokens(
  engine: Engine,
  contexts: readonly (readonly number[])[],
  size: number,
  temperature: number,
): Promise<readonly (readonly number[])[]> {
  const questions = contexts.flatMap((context) =>
    Array.from({ length: size }, (_, token): Question => ({ tokens: [...context, token], answer: 1 })),
  );
  const logProbabilities = await answerProbabilities(engine, questions);
  return contexts.map((_, index) => {
    const weights = Array.from(logProbabilities.subarray(index * size, (index + 1) * size), (value) =>
      exp(value / temperature),
    );
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => weight / sum);
  });
}

/** Returns a sequence for a pass without training. @param counts [tokens] true for the targets of the pass */
export function targetsOf(tokens: ArrayLike<number>, counts: readonly boolean[]): Sequence {
  const weights = Float32Array.from(counts, Number);
  return { tokens, weights, credits: weights, slot: 0 };
}

/**
 * Splits sequences into passes that fit the capacity of an engine.
 * @throws {RangeError} if a sequence is longer than the capacity
 */
export function* passes<Item extends { readonly tokens: ArrayLike<number> }>(
  { capacity: { rows: rowLimit } }: Pick<Engine, 'capacity'>,
  all: readonly Item[],
): Generator<{ readonly from: number; readonly items: readonly Item[] }> {
  let from = 0;
  while (from < all.length) {
    let [until, rows] = [from, 0];
    while (until < all.length && rows + all[until].tokens.length <= rowLimit) rows += all[until++].tokens.length;
    if (until === from) {
      throw new RangeError(`a sequence of ${all[from].tokens.length} tokens is longer than ${rowLimit}`);
    }
    yield { from, items: all.slice(from, until) };
    from = until;
  }
}

/** Effect of an update on the turns of a group. */
export interface Push {
  /** Index of the group in the batch. */
  readonly group: number;
  /** [rollouts][turns] log-probability of each turn before the update (`before`) and after it (`after`) [nats]. */
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
}

/**
 * Measures the log-probabilities of a group's turns before an update.
 * @returns a function that measures them again after the update and returns both
 */
export async function watchedGroup(
  { engine, environment }: { engine: Engine; environment: AnyEnvironment },
  batch: SampledBatch,
  group: number,
): Promise<() => Promise<Push>> {
  const sequences = batch.rollouts.slice(batch.rolloutOffset[group], batch.rolloutOffset[group + 1]);
  const rollouts = environment.freshPrompts ? sequences : completeRollouts(sequences, batch.forest);
  const measure = () => logProbabilities(engine, rollouts);
  const before = await measure();
  return async () => ({ group, before, after: await measure() });
}
