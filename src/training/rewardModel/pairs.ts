import { preferenceLoss, sigmoid } from '../../objective/preference.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';

// What a reward model is trained on: pairs of programs of one task, ordered by what passes. And how right it is about them.

/** Something that was written for a task, with what is true of it. */
export interface Scored {
  /** Number of its task. */
  readonly task: number;
  /** What the model reads: task and program. */
  readonly tokens: readonly number[];
  /** Share of all tests that it passes, hidden and visible ones. */
  readonly passRate: number;
}

/** Two programs of one task; the better one passes more tests. */
export interface Pair {
  readonly better: Scored;
  readonly worse: Scored;
}

/** Each program of each task once, in the order in which they first came. Two tasks may have the same prompt. */
export function distinct(programs: readonly Scored[]): readonly Scored[] {
  return [...new Map(programs.map((program) => [`${program.task} ${program.tokens.join()}`, program])).values()];
}

/**
 * All pairs of distinct programs of the same task that pass different shares of its tests, in an order that depends on the
 * seed alone. Programs that pass the same share are left out: nothing says which is better.
 * @param most as many as are kept; 0 for all
 */
export function pairsOf(programs: readonly Scored[], seed: number, most = 0): readonly Pair[] {
  const byTask = new Map<number, Scored[]>();
  for (const program of distinct(programs)) {
    const own = byTask.get(program.task) ?? [];
    own.push(program);
    byTask.set(program.task, own);
  }
  const all = [...byTask.values()].flatMap((own) =>
    own.flatMap((better) =>
      own.filter((worse) => worse.passRate < better.passRate).map((worse) => ({ better, worse })),
    ),
  );
  const kept = orderOf(all.length, seed, 0).slice(0, most === 0 ? all.length : most);
  return kept.map((index) => all[index]);
}

/** The pairs of a step: every pass over all of them has an order of its own, drawn from (seed, pass). */
export function pairsOfStep(pairs: readonly Pair[], batch: number, step: number, seed: number): readonly Pair[] {
  const size = Math.min(batch, pairs.length);
  const first = Math.floor((step * size) / pairs.length);
  const orders = [first, first + 1].map((pass) => orderOf(pairs.length, seed, 1 + pass));
  return Array.from({ length: size }, (_, index) => {
    const place = step * size + index - first * pairs.length;
    return pairs[orders[Math.floor(place / pairs.length)][place % pairs.length]];
  });
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

/** How right a model is about pairs. */
export interface PairAccuracy {
  readonly pairs: number;
  /** Share of the pairs whose better program it likes more; a tie counts half. */
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
      const own = all.filter((margin) => binOf(margin) === bin);
      return {
        from: 0.5 + bin * width,
        to: 0.5 + (bin + 1) * width,
        pairs: own.length,
        predicted: mean(own.map(predicted)),
        right: mean(own.map(right)),
      };
    }),
  };
}
