import { log } from '../numbers/logarithm.ts';
import { cos, sin } from '../numbers/trigonometry.ts';

/**
 * The counter-based generator of the whole project: a draw depends on its key (seed, step, rollout, position) alone,
 * never on how many draws came before it, so that batching, order and threads cannot change a run.
 * pcg4d: Jarzynski and Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020. `shaders/policy/sample.wgsl`
 * holds the same function; a test compares the two bit for bit.
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

/** A uniform number in [0, 1) with 24 random bits, exactly representable in float32. */
export function uniform(seed: number, step: number, rollout: number, position: number): number {
  return (pcg4d(seed, step, rollout, position)[0] >>> 8) / 16777216;
}

/**
 * Number that is added to rollout numbers in the keys of token draws. So no rollout shares its draws with one of the
 * STREAMS, which are at the same position of the key.
 */
export const ROLLOUTS = 0x80000000;

/**
 * Added to sequence numbers in the keys of random results of turns (Episode.act), so that no result shares its draw with a
 * token or with one of the STREAMS.
 */
export const RESULTS = 0x40000000;

/** Separate streams of one seed, so that tasks, demonstrations and initial weights never share draws. */
export const STREAMS = {
  world: 1,
  tasks: 2,
  parameters: 3,
  demonstrations: 4,
  minibatches: 5,
  evaluation: 6,
  /** The clean demonstrations that come before the noisy ones. */
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

/** A sequence of draws under one key, for code that wants "the next" number. */
export class CounterRandom {
  private position = 0;
  private spare: number | undefined;

  /**
   * @param seed the run's seed
   * @param stream one of STREAMS
   * @param step the training step, or any other index of the stream
   */
  constructor(
    private readonly seed: number,
    private readonly stream: number,
    private readonly step = 0,
  ) {}

  /** The next uniform number in [0, 1). */
  next(): number {
    return (pcg4d(this.seed, this.step, this.stream, this.position++)[0] >>> 8) / 16777216;
  }

  /** A whole number in [0, bound). */
  integer(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** A standard normal number (Box and Muller 1958). */
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

  /** A uniformly random permutation of 0..count-1 (Fisher and Yates). */
  permutation(count: number): number[] {
    const order = Array.from({ length: count }, (_, index) => index);
    for (let last = count - 1; last > 0; last--) {
      const swapIndex = this.integer(last + 1);
      [order[last], order[swapIndex]] = [order[swapIndex], order[last]];
    }
    return order;
  }
}
