import { power } from '../../numbers/powers.ts';
import { cos, sin } from '../../numbers/trigonometry.ts';
import { headDim, logitStride, type PolicyConfiguration, projectedDim } from '../../policy/policyConfiguration.ts';
import type { Arena } from './arena.ts';

/** Rows of a piece of a minibatch; part of the definition of the bits, since another number changes the order of sums. */
const PIECE_ROWS = 256;
/** Rows after the last that kernels may read. */
const SPARE_ROWS = 8;

/** Addresses of the numbers that a layer saves in its forward pass for its backward pass. In the last layer they belong to targets, except the first three. */
interface LayerSpace {
  /** [rows, dim] */
  readonly input: number;
  readonly attentionNormed: number;
  /** [rows, projectedDim] rotated queries and keys, values */
  readonly projected: number;
  readonly attended: number;
  /** [rows, heads, 2] */
  readonly softmax: number;
  readonly middle: number;
  readonly feedForwardNormed: number;
  /** [rows, 2 ffDim] */
  readonly gateUp: number;
  readonly activated: number;
  /** [sequences, context, 2 kvDim] keys and values of generation */
  readonly cache: number;
}

/** Addresses of all activations of networks of one shape; they take turns in them. Memory does not depend on the size of a batch. */
export class Space {
  /** Most rows of a piece. */
  readonly rowLimit: number;
  readonly layers: readonly LayerSpace[];
  /** [rows] token, token before it, position, first row. */
  readonly rows: number;
  /** [targets] row, token. */
  readonly targets: number;
  /** [targets] log-sum-exp, log-probability, entropy, value. */
  readonly outputs: number;
  /** [targets] slopes of the loss by log-probability, entropy, value, unused. */
  readonly slopes: number;
  /** [context, 2, headDim / 2] cosines, then sines. */
  readonly rotation: number;
  /** [2, context + 8] scores of one row and their slopes. */
  readonly scores: number;
  readonly scoresBytes: number;
  /** For generation: [rows] row of the logits, uniform number, threshold; [32] runs. */
  readonly sources: number;
  readonly uniforms: number;
  readonly thresholds: number;
  readonly runs: number;
  readonly output: number;
  readonly normed: number;
  readonly logits: number;
  /** Gradients of activations, shared by all layers. */
  readonly gradients: Readonly<
    Record<'hidden' | 'targetHidden' | 'normed' | 'attended' | 'projected' | 'activated', number>
  >;

  /** @param sequences that are generated at a time */
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
    this.runs = arena.allocate(32);
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

/** Rotation of each pair of a head at each position, position base^(-2 i / headDim), in float64 rounded once. */
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
