import { preferenceLoss, sigmoid } from '../../engine/shared.ts';
import type { Reading } from '../../environments/environment.ts';
import { mean } from '../../metrics/rows/rollouts.ts';
import { CounterRandom, itemsOfStep, STREAMS } from '../../random/counter.ts';

// Training data of a reward model: pairs of turns of one task, ordered by quality. Also the accuracy of a model on
// pairs.

/** Input of the model for a turn, with its task and score. */
export interface Scored extends Reading {
  /** Number of the task. */
  readonly task: number;
  /** Quality, 0 to 1 (ModelRewards.scored). */
  readonly score: number;
}

/** Two readings of one task and kind. The better one has the higher score, unless the label is wrong. */
export interface Pair {
  readonly better: Scored;
  readonly worse: Scored;
}

/** Returns the distinct readings of each task, in the order of first occurrence. Two tasks can have equal prompts. */
export function distinct(scored: readonly Scored[]): readonly Scored[] {
  return [...new Map(scored.map((entry) => [`${entry.task} ${entry.tokens.join()}`, entry])).values()];
}

/**
 * Returns all pairs of distinct readings of the same task and kind with different scores. Their order depends only on
 * the seed. Pairs with equal scores are excluded, because neither reading is better.
 * @param maximum maximum number of pairs; 0 for all
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

/** Returns the pairs, each reversed with probability `noise`. The draws depend only on the seed and the index. */
export function mislabelled(pairs: readonly Pair[], noise: number, seed: number): readonly Pair[] {
  const random = new CounterRandom(seed, STREAMS.labels);
  return pairs.map(({ better, worse }) =>
    random.next() < noise ? { better: worse, worse: better } : { better, worse },
  );
}

/** Returns the pairs of a step. Each pass over all pairs has a different order, drawn from (seed, pass). */
export function pairsOfStep(pairs: readonly Pair[], batch: number, step: number, seed: number): readonly Pair[] {
  return itemsOfStep(pairs, batch, step, (pass) => orderOf(pairs.length, seed, 1 + pass));
}

function orderOf(count: number, seed: number, key: number): readonly number[] {
  return new CounterRandom(seed, STREAMS.preferences, key).permutation(count);
}

/** Row of a calibration table. */
export interface CalibrationBin {
  /** Range of the predicted probabilities in the bin, `from` to `to`. */
  readonly from: number;
  readonly to: number;
  readonly pairs: number;
  /**
   * Mean predicted probability that the reading with the larger value is better (`predicted`), and the share of pairs
   * in which it is (`right`). NaN without pairs.
   */
  readonly predicted: number;
  readonly right: number;
}

/** Accuracy of a model on pairs. */
export interface PairAccuracy {
  readonly pairs: number;
  /** Share of pairs in which the better reading has the larger value, 0 to 1. Equal values count half. */
  readonly accuracy: number;
  /** Mean of -log sigmoid(better - worse) [nats]. */
  readonly loss: number;
  /** Bins of equal width from 0.5 to 1. */
  readonly bins: readonly CalibrationBin[];
}

/**
 * Computes accuracy and calibration on pairs.
 * @param margins [pairs] value of the better reading minus value of the worse reading
 * @param bins number of bins
 */
export function accuracyOf(margins: ArrayLike<number>, bins = 5): PairAccuracy {
  const all = Array.from(margins);
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
