import { log } from '../numbers/exponential.ts';
import { cos, sin } from '../numbers/trigonometry.ts';

/**
 * Counter-based random generator of the project. A draw depends only on its key (seed, step, rollout, position) and not
 * on earlier draws, so batching, order and threads cannot change a run.
 * pcg4d: Jarzynski and Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020. `shaders/policy/sample.wgsl`
 * contains the same function; a test compares both bit for bit.
 */

/** Hashes four 32-bit words to four 32-bit words. */
export function pcg4d(a: number, b: number, c: number, d: number): [number, number, number, number] {
  let x = (Math.imul(a, 1664525) + 1013904223) >>> 0;
  let y = (Math.imul(b, 1664525) + 1013904223) >>> 0;
  let z = (Math.imul(c, 1664525) + 1013904223) >>> 0;
  let w = (Math.imul(d, 1664525) + 1013904223) >>> 0;
  const mix = () => {
    x = (x + Math.imul(y, w)) >>> 0;
    y = (y + Math.imul(z, x)) >>> 0;
    z = (z + Math.imul(x, y)) >>> 0;
    w = (w + Math.imul(y, z)) >>> 0;
  };
  mix();
  x = (x ^ (x >>> 16)) >>> 0;
  y = (y ^ (y >>> 16)) >>> 0;
  z = (z ^ (z >>> 16)) >>> 0;
  w = (w ^ (w >>> 16)) >>> 0;
  mix();
  return [x, y, z, w];
}

/** Returns a uniform number in [0, 1) with 24 random bits, which float32 represents exactly. */
export function uniform(seed: number, step: number, rollout: number, position: number): number {
  return (pcg4d(seed, step, rollout, position)[0] >>> 8) / 16777216;
}

/**
 * Offset of rollout numbers in the keys of token draws. It keeps them apart from the STREAMS, which use the same
 * position of the key.
 */
export const ROLLOUTS = 0x80000000;

/**
 * Offset of sequence numbers in the keys of random results of turns (Episode.act). It keeps them apart from the draws
 * of tokens and of the STREAMS.
 */
export const RESULTS = 0x40000000;

/** Indices of the separate streams of one seed, so that, for example, tasks and initial weights share no draws. */
export const STREAMS = {
  world: 1,
  tasks: 2,
  parameters: 3,
  demonstrations: 4,
  minibatches: 5,
  evaluation: 6,
  /** Clean demonstrations, which precede the noisy demonstrations of a warm start. */
  skills: 7,
  /** Bootstrap intervals. */
  resampling: 8,
  /** Order of the pairs that a reward model is trained on. */
  preferences: 9,
  /** Selection of the pairs that get a wrong label. */
  labels: 10,
  /** Order of the examples that a policy imitates. */
  imitation: 11,
} as const;

/** Sequence of draws under one key, for code that draws numbers in sequence. */
export class CounterRandom {
  private position = 0;
  private spare: number | undefined;

  /**
   * @param seed seed of the run
   * @param stream one of STREAMS
   * @param step training step, or another index within the stream
   */
  constructor(
    private readonly seed: number,
    private readonly stream: number,
    private readonly step = 0,
  ) {}

  /** Returns the next uniform number in [0, 1). */
  next(): number {
    return (pcg4d(this.seed, this.step, this.stream, this.position++)[0] >>> 8) / 16777216;
  }

  /** Returns a uniform integer in [0, bound). */
  integer(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** Returns a standard normal number (Box and Muller 1958). */
  normal(): number {
    if (this.spare !== undefined) {
      const value = this.spare;
      this.spare = undefined;
      return value;
    }
    const radius = Math.sqrt(-2 * log(1 - this.next()));
    const angle = 2 * Math.PI * this.next();
    this.spare = radius * sin(angle);
    return radius * cos(angle);
  }

  /** Returns a uniformly random permutation of 0..count-1 (Fisher and Yates). */
  permutation(count: number): number[] {
    const order = Array.from({ length: count }, (_, index) => index);
    for (let last = count - 1; last > 0; last--) {
      const swapIndex = this.integer(last + 1);
      [order[last], order[swapIndex]] = [order[swapIndex], order[last]];
    }
    return order;
  }
}

/**
 * Returns the items of one step, drawn from consecutive passes over all items. Each pass has a separate order.
 * @param batch number of items per step; a step has all items if there are fewer
 * @param step index from 0
 * @param orderOf returns the order of a pass (index from 0) as a permutation of the item indices [items]
 */
export function itemsOfStep<Item>(
  items: readonly Item[],
  batch: number,
  step: number,
  orderOf: (pass: number) => readonly number[],
): readonly Item[] {
  const size = Math.min(batch, items.length);
  const first = Math.floor((step * size) / items.length);
  const orders = [first, first + 1].map(orderOf);
  return Array.from({ length: size }, (_, index) => {
    const position = step * size + index - first * items.length;
    return items[orders[Math.floor(position / items.length)][position % items.length]];
  });
}
