import { power } from '../../numbers/exponential.ts';
import { cos, sin } from '../../numbers/trigonometry.ts';
import { headDim, logitStride, type PolicyConfiguration, projectedDim } from '../../policy/weights.ts';
import { OutOfMemoryError } from '../shared.ts';
import type { Kernels } from './kernels.ts';

/** Alignment of addresses [bytes]: a cache line. */
const LINE = 64;

/**
 * Allocator of the memory of the kernels. Views become invalid when the memory grows, so read them after each
 * `allocate`.
 */
export class Arena {
  f32: Float32Array<ArrayBuffer>;
  i32: Int32Array<ArrayBuffer>;
  /** First free address. Address 0 represents an absent value in calls of kernels. */
  private top = LINE;
  private readonly free = new Map<number, number[]>();

  constructor(readonly kernels: Kernels) {
    const { buffer } = kernels.memory;
    this.f32 = new Float32Array(buffer as ArrayBuffer);
    this.i32 = new Int32Array(buffer as ArrayBuffer);
  }

  /** Memory in use [bytes]. */
  get bytes(): number {
    return this.top;
  }

  /**
   * Allocates memory for 32-bit numbers, all 0.
   * @param length number of 32-bit numbers
   * @returns address [bytes]
   * @throws {OutOfMemoryError} if the memory cannot grow; earlier allocations remain valid
   */
  allocate(length: number): number {
    const bytes = Math.ceil((4 * length) / LINE) * LINE;
    const known = this.free.get(bytes)?.pop();
    if (known !== undefined) {
      this.kernels.clear(known, bytes);
      return known;
    }
    const address = this.top;
    const top = address + bytes;
    const { memory } = this.kernels;
    const missing = top - memory.buffer.byteLength;
    if (missing > 0) {
      try {
        memory.grow(Math.ceil(missing / 65536));
      } catch {
        throw new OutOfMemoryError(`the processor's memory has no room for ${top} bytes of one engine`);
      }
      this.f32 = new Float32Array(memory.buffer as ArrayBuffer);
      this.i32 = new Int32Array(memory.buffer as ArrayBuffer);
    }
    this.top = top;
    return address;
  }

  /** Releases memory of `allocate`. Another allocation of the same size reuses it. */
  release(address: number, length: number): void {
    const bytes = Math.ceil((4 * length) / LINE) * LINE;
    this.free.set(bytes, [...(this.free.get(bytes) ?? []), address]);
  }

  write(address: number, values: Float32Array): void {
    this.f32.set(values, address / 4);
  }

  view(address: number, length: number): Float32Array<ArrayBuffer> {
    return this.f32.subarray(address / 4, address / 4 + length);
  }

  read(address: number, length: number): Float32Array<ArrayBuffer> {
    return this.f32.slice(address / 4, address / 4 + length);
  }
}

/**
 * Maximum number of rows of a piece. It is part of the definition of the bits, because it determines the order of sums.
 */
const PIECE_ROWS = 256;
/** Number of rows after the last row that kernels may read. */
const SPARE_ROWS = 8;

/**
 * Addresses of the activations that a layer saves in its forward pass for its backward pass. In the last layer they
 * belong to targets, except the first three.
 */
interface LayerSpace {
  /** Input and normalised input [rows, dim]. */
  readonly input: number;
  readonly attentionNormed: number;
  /** Rotated queries and keys, and values [rows, projectedDim]. */
  readonly projected: number;
  readonly attended: number;
  /** Softmax state per head [rows, heads, 2]. */
  readonly softmax: number;
  readonly middle: number;
  readonly feedForwardNormed: number;
  /** Gate and up projections [rows, 2 ffDim]. */
  readonly gateUp: number;
  readonly activated: number;
  /** Keys and values of generation [sequences, context, 2 kvDim]. */
  readonly cache: number;
}

/**
 * Addresses of all activations for networks of one shape, which use them in turn. The memory does not depend on the
 * batch size.
 */
export class Space {
  /** Maximum number of rows of a piece. */
  readonly rowLimit: number;
  readonly layers: readonly LayerSpace[];
  /** Token, previous token, position and first row of each row [rows]. */
  readonly rows: number;
  /** Row and token of each target [targets]. */
  readonly targets: number;
  /** Log-sum-exp, log-probability, entropy and value of each target [targets]. */
  readonly outputs: number;
  /** Slopes of the loss by log-probability, entropy and value, and an unused word [targets]. */
  readonly slopes: number;
  /** Cosines, then sines, of the rotation [context, 2, headDim / 2]. */
  readonly rotation: number;
  /** Scores of one row, and their slopes [2, context + 8]. */
  readonly scores: number;
  readonly scoresBytes: number;
  /** Row of the logits of each drawn sequence in generation [rows]. */
  readonly sources: number;
  /** Uniform number of each drawn sequence [rows]. */
  readonly uniforms: number;
  /** Least logit that each drawn sequence may sample [rows]. */
  readonly thresholds: number;
  /** Scratch of the draw kernel [32 + vocabulary + 3]. */
  readonly runs: number;
  readonly output: number;
  readonly normed: number;
  readonly logits: number;
  /** Gradients of activations, shared by all layers. */
  readonly gradients: Readonly<
    Record<'hidden' | 'targetHidden' | 'normed' | 'attended' | 'projected' | 'activated', number>
  >;

  /** @param sequences maximum number of sequences in generation */
  constructor(
    readonly arena: Arena,
    readonly config: PolicyConfiguration,
    sequences: number,
  ) {
    const { dim, ffDim, heads, kvHeads, context } = config;
    this.rowLimit = Math.max(PIECE_ROWS, context);
    const rows = this.rowLimit + SPARE_ROWS;
    const allocate = (width: number) => arena.allocate(rows * width);
    const projected = projectedDim(config);
    const cacheRows = sequences * context + SPARE_ROWS;
    this.layers = Array.from({ length: config.layers }, () => ({
      input: allocate(dim),
      attentionNormed: allocate(dim),
      projected: allocate(projected),
      attended: allocate(dim),
      softmax: allocate(2 * heads),
      middle: allocate(dim),
      feedForwardNormed: allocate(dim),
      gateUp: allocate(2 * ffDim),
      activated: allocate(ffDim),
      cache: arena.allocate(cacheRows * 2 * kvHeads * headDim(config)),
    }));
    this.rows = allocate(4);
    this.targets = allocate(2);
    this.outputs = allocate(4);
    this.slopes = allocate(4);
    this.rotation = arena.allocate(context * headDim(config));
    this.scoresBytes = 4 * 4 * Math.ceil((context + 8) / 4);
    this.scores = arena.allocate(this.scoresBytes / 2);
    this.sources = allocate(1);
    this.uniforms = allocate(1);
    this.thresholds = allocate(1);
    this.runs = arena.allocate(32 + logitStride(config));
    this.output = allocate(dim);
    this.normed = allocate(dim);
    this.logits = allocate(logitStride(config));
    this.gradients = {
      hidden: allocate(dim),
      targetHidden: allocate(dim),
      normed: allocate(dim),
      attended: allocate(dim),
      projected: allocate(projected),
      activated: allocate(ffDim),
    };
    arena.write(this.rotation, rotations(config));
  }
}

/**
 * Returns the rotation of each pair of a head at each position: position base^(-2 i / headDim), in float64, rounded
 * once.
 */
function rotations(config: PolicyConfiguration): Float32Array {
  const half = headDim(config) / 2;
  const table = new Float32Array(config.context * 2 * half);
  for (let position = 0; position < config.context; position++) {
    for (let i = 0; i < half; i++) {
      const angle = position * power(config.ropeBase, -i / half);
      table[position * 2 * half + i] = cos(angle);
      table[position * 2 * half + half + i] = sin(angle);
    }
  }
  return table;
}
