import { preferenceLoss, sigmoid } from '../../engine/shared.ts';
import type { Reading } from '../../environments/environment.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import { itemsOfStep } from '../../random/passes.ts';

// Training data of a reward model: pairs of texts that were written for one task, ordered by quality. Also the accuracy
// of the model on pairs.

/** Something that was written for a task, as the model reads it, with how good it is. */
export interface Scored extends Reading {
  /** Number of its task. */
  readonly task: number;
  /** Between 0 and 1 (ModelPaid.scored). */
  readonly score: number;
}

/** Two that were written for one task and are of one kind; the better one has the higher score. */
export interface Pair {
  readonly better: Scored;
  readonly worse: Scored;
}

/** Each reading of each task once, in the order in which they first came. Two tasks may have the same prompt. */
export function distinct(scored: readonly Scored[]): readonly Scored[] {
  return [...new Map(scored.map((entry) => [`${entry.task} ${entry.tokens.join()}`, entry])).values()];
}

/**
 * Returns all pairs of distinct readings of the same task and kind with different scores. Their order depends only on
 * the seed. Pairs with equal scores are excluded, because neither reading is better.
 * @param maximum maximum number of pairs to return; 0 for all
 */
export function pairsOf(scored: readonly Scored[], seed: number, maximum = 0): readonly Pair[] {
  const groups = new Map<string, Scored[]>();
  for (const entry of distinct(scored)) {
    const key = `${entry.task} ${entry.kind}`;
    const group = groups.get(key) ?? [];
    group.push(entry);
    groups.set(key, group);
  }
  const all = [...groups.values()].flatMap((group) =>
    group.flatMap((better) => group.filter((worse) => worse.score < better.score).map((worse) => ({ better, worse }))),
  );
  const selected = orderOf(all.length, seed, 0).slice(0, maximum === 0 ? all.length : maximum);
  return selected.map((index) => all[index]);
}

/** The pairs as someone orders them who is wrong in a share `noise` of them: which, the seed and the place decide. */
export function mislabelled(pairs: readonly Pair[], noise: number, seed: number): readonly Pair[] {
  const random = new CounterRandom(seed, STREAMS.labels);
  return pairs.map(({ better, worse }) =>
    random.next() < noise ? { better: worse, worse: better } : { better, worse },
  );
}

/** Returns the pairs of a step. Every pass over all pairs has a different order, drawn from (seed, pass). */
export function pairsOfStep(pairs: readonly Pair[], batch: number, step: number, seed: number): readonly Pair[] {
  return itemsOfStep(pairs, batch, step, (pass) => orderOf(pairs.length, seed, 1 + pass));
}

function orderOf(count: number, seed: number, key: number): readonly number[] {
  return new CounterRandom(seed, STREAMS.preferences, key).permutation(count);
}

/** One row of a calibration table. */
export interface CalibrationBin {
  /** Predicted probabilities of the bin: from `from` up to `to`. */
  readonly from: number;
  readonly to: number;
  readonly pairs: number;
  /** Mean predicted probability that the one the model likes more is better, and the share where it is; NaN without pairs. */
  readonly predicted: number;
  readonly right: number;
}

/** Accuracy of a model on pairs. */
export interface PairAccuracy {
  readonly pairs: number;
  /** Share of the pairs whose better one it likes more; a tie counts half. */
  readonly accuracy: number;
  /** Mean of -log sigmoid(better - worse), nats. */
  readonly loss: number;
  /** Of .5 to 1, in equal parts. */
  readonly bins: readonly CalibrationBin[];
}

/**
 * Accuracy and calibration over pairs.
 * @param margins [pairs] what the model says of the better one less what it says of the worse one
 */
export function accuracyOf(margins: ArrayLike<number>, bins = 5): PairAccuracy {
  const all = Array.from(margins);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const right = (margin: number) => (Math.sign(margin) + 1) / 2;
  const predicted = (margin: number) => sigmoid(Math.abs(margin));
  const width = 0.5 / bins;
  const binOf = (margin: number) => Math.min(bins - 1, Math.floor((predicted(margin) - 0.5) / width));
  return {
    pairs: all.length,
    accuracy: mean(all.map(right)),
    loss: mean(all.map((margin) => preferenceLoss(margin, 0).value)),
    bins: Array.from({ length: bins }, (_, bin) => {
      const binMargins = all.filter((margin) => binOf(margin) === bin);
      return {
        from: 0.5 + bin * width,
        to: 0.5 + (bin + 1) * width,
        pairs: binMargins.length,
        predicted: mean(binMargins.map(predicted)),
        right: mean(binMargins.map(right)),
      };
    }),
  };
}
