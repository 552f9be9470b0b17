import type { BufferSet } from '../gpu/buffers.ts';
import type { Gpu } from '../gpu/device.ts';
import { power } from '../numbers/exponential.ts';
import { cos, sin } from '../numbers/trigonometry.ts';
import { BatchPacker } from './batch.ts';
import {
  headDim,
  logitStride,
  type ParameterLayout,
  type PolicyConfiguration,
  parameterLayout,
  projectedDim,
} from './weights.ts';

/** Data that a layer stores in its forward pass for its backward pass. */
export interface LayerActivations {
  /** Residual stream on entry [rows, dim]. */
  readonly input: GPUBuffer;
  readonly attnNormed: GPUBuffer;
  /** Rotated queries, unrotated keys, values [rows, projectedDim]. */
  readonly projected: GPUBuffer;
  /** Rotated keys by cache row [rows, kvHeads headDim]. */
  readonly keys: GPUBuffer;
  /** Values by cache row [rows, kvHeads headDim]. */
  readonly values: GPUBuffer;
  readonly attended: GPUBuffer;
  readonly softmaxState: GPUBuffer;
  /** Residual stream between attention and feed-forward. */
  readonly middle: GPUBuffer;
  readonly ffNormed: GPUBuffer;
  readonly gateUp: GPUBuffer;
  readonly activated: GPUBuffer;
}

/** Capacities for which all buffers are allocated once. */
export interface WorkspaceCapacity {
  /** Maximum number of sequences generated or trained on at a time. */
  readonly sequences: number;
  /**
   * Maximum number of rows of one forward pass, if few sequences have the length of the context. Absent: the rows of
   * all sequences.
   */
  readonly rows?: number;
  /** Maximum number of minibatches of one update, including all epochs and the reference pass. */
  readonly minibatches: number;
  /**
   * Maximum number of rows uploaded for one update, including all epochs and the reference pass. Absent: one pass over
   * all sequences.
   */
  readonly uploadedRows?: number;
}

/** Memory of the passes of one network: its shape, the layout of its parameters, and buffers that it may share. */
export type NetworkSpace = Omit<Workspace, 'uploadBatch' | 'recordSampled' | 'withValueHead'>;

/** Buffers of one policy's forward and backward passes. Generation and training use them alternately. */
export class Workspace {
  readonly layout: ParameterLayout;
  readonly rowCapacity: number;
  readonly packer: BatchPacker;
  readonly layers: readonly LayerActivations[];
  /** Output of the last layer's attention for the targets [targets, dim]. */
  readonly targetAttended: GPUBuffer;
  /** Residual stream before the last layer's output projection for the targets [targets, dim]. */
  readonly targetInput: GPUBuffer;
  /** Residual stream of the targets after the last layer. */
  readonly output: GPUBuffer;
  readonly normed: GPUBuffer;
  readonly logits: GPUBuffer;
  /** Cosines, then signed sines, of the rotation [context, 2, headDim]. */
  readonly rotation: GPUBuffer;
  readonly batch: Readonly<Record<'rows' | 'targets' | 'weights' | 'sharers' | 'counts' | 'lists', GPUBuffer>>;
  /** Log-sum-exp, log-probability, entropy and value of each target [targets]. */
  readonly distribution: GPUBuffer;
  readonly lossGradient: GPUBuffer;
  /** Terms of the loss of each target [targets, 8]. */
  readonly terms: GPUBuffer;
  /** Log-probability at sampling, the reference's, value and return of each slot [sequences, context]. */
  readonly recorded: GPUBuffer;
  /** Gradients of activations, shared by all layers. */
  readonly gradients: Readonly<
    Record<
      'hidden' | 'targetHidden' | 'normed' | 'attended' | 'targetAttended' | 'projected' | 'activated' | 'scales',
      GPUBuffer
    >
  >;
  /** Partial gradients of the parameters [chunks, parameters]. */
  readonly partial: GPUBuffer;
  readonly chunks: number;

  constructor(
    readonly gpu: Gpu,
    buffers: BufferSet,
    readonly config: PolicyConfiguration,
    readonly capacity: WorkspaceCapacity,
  ) {
    const { dim, ffDim, heads, kvHeads, context, vocab } = config;
    this.layout = parameterLayout(config);
    const roundUp = (elements: number) => Math.ceil(elements / 128) * 128;
    const rows = roundUp(capacity.rows ?? capacity.sequences * context);
    // In generation, each sequence has separate cache rows for its keys and values.
    const cached = Math.max(rows, roundUp(capacity.sequences * context));
    this.rowCapacity = rows;
    const storage = (label: string, elements: number) => buffers.storage(label, elements);
    const kvDim = kvHeads * headDim(config);
    const layer = (index: number): LayerActivations => ({
      input: storage(`layer ${index} input`, rows * dim),
      attnNormed: storage(`layer ${index} attention input`, rows * dim),
      projected: storage(`layer ${index} projected`, rows * projectedDim(config)),
      keys: storage(`layer ${index} keys`, cached * kvDim),
      values: storage(`layer ${index} values`, cached * kvDim),
      attended: storage(`layer ${index} attended`, rows * dim),
      softmaxState: storage(`layer ${index} softmax state`, rows * heads * 2),
      middle: storage(`layer ${index} middle`, rows * dim),
      ffNormed: storage(`layer ${index} feed-forward input`, rows * dim),
      gateUp: storage(`layer ${index} gate and up`, rows * 2 * ffDim),
      activated: storage(`layer ${index} activated`, rows * ffDim),
    });
    this.layers = Array.from({ length: config.layers }, (_, index) => layer(index));
    this.targetAttended = storage('target attended', rows * dim);
    this.targetInput = storage('target input', rows * dim);
    this.output = storage('output', rows * dim);
    this.normed = storage('head input', rows * dim);
    this.logits = storage('logits', rows * logitStride(config));
    this.rotation = storage('rotation', context * 2 * headDim(config));
    gpu.device.queue.writeBuffer(this.rotation, 0, rotationTable(config));
    const uploaded = capacity.uploadedRows ?? rows;
    this.packer = new BatchPacker({ rows: uploaded, minibatches: capacity.minibatches }, vocab);
    this.batch = {
      rows: storage('rows', 4 * uploaded),
      targets: storage('targets', 4 * uploaded),
      weights: storage('weights', uploaded),
      sharers: storage('sharers', uploaded),
      counts: storage('counts', 2 * capacity.minibatches),
      lists: storage('rows by token', this.packer.lists.length),
    };
    this.distribution = storage('distribution', 4 * rows);
    this.lossGradient = storage('loss gradient', 4 * rows);
    this.terms = storage('terms', 8 * rows);
    this.recorded = storage('recorded', 4 * capacity.sequences * context);
    this.gradients = {
      hidden: storage('hidden gradient', rows * dim),
      targetHidden: storage('target hidden gradient', rows * dim),
      targetAttended: storage('target attended gradient', rows * dim),
      normed: storage('normed gradient', rows * dim),
      attended: storage('attended gradient', rows * dim),
      projected: storage('projected gradient', rows * projectedDim(config)),
      activated: storage('activated gradient', rows * ffDim),
      scales: storage('norm scales', rows),
    };
    const maximum = Math.max(1, Math.floor((64 * 2 ** 20) / (4 * this.layout.size)));
    this.chunks = Math.min(maximum, Math.max(2, Math.ceil(rows / 512)));
    // A critic is trained in the same buffers, so its value head requires space.
    const head = config.valueHead ? 0 : dim;
    this.partial = storage('partial gradients', this.chunks * (this.layout.size + head));
  }

  /**
   * Returns the same buffers for a network of the same shape with a value head. Its parameters have the policy's
   * layout; the value head follows them.
   */
  withValueHead(): NetworkSpace {
    const config = { ...this.config, valueHead: true };
    return { ...(this as Workspace), config, layout: parameterLayout(config) };
  }

  /**
   * Restores the log-probabilities at which sequences were sampled, in their slots. Required if other sequences were
   * generated since.
   * @param sequences with their row of the table and the log-probability of each token
   */
  recordSampled(sequences: readonly { readonly sequence: number; readonly logProb: ArrayLike<number> }[]): void {
    const { gpu, recorded, config } = this;
    const values = new Float32Array(recorded.size / Float32Array.BYTES_PER_ELEMENT);
    for (const { sequence, logProb } of sequences) {
      const slot = sequence * config.context;
      for (let at = 0; at < logProb.length; at++) values[4 * (slot + at)] = logProb[at];
    }
    gpu.device.queue.writeBuffer(recorded, 0, values);
  }

  /** Uploads the contents of the packer. */
  uploadBatch(): void {
    const { packer, batch, gpu } = this;
    const used = packer.used;
    for (const name of ['rows', 'targets', 'weights', 'sharers', 'counts', 'lists'] as const) {
      if (used[name] > 0) gpu.device.queue.writeBuffer(batch[name], 0, packer[name], 0, used[name]);
    }
  }
}

/**
 * Computes the rotation of each dimension: x_i cos + x_partner sin, with a negative sine for the first half of a head.
 * Angles are position * base^(-2 i / headDim), computed in float64.
 */
function rotationTable(config: PolicyConfiguration): Float32Array<ArrayBuffer> {
  const width = headDim(config);
  const half = width / 2;
  const table = new Float32Array(config.context * 2 * width);
  for (let position = 0; position < config.context; position++) {
    for (let i = 0; i < half; i++) {
      const angle = position * power(config.ropeBase, -i / half);
      const at = position * 2 * width + i;
      table[at] = cos(angle);
      table[at + half] = cos(angle);
      table[at + width] = -sin(angle);
      table[at + width + half] = sin(angle);
    }
  }
  return table;
}
