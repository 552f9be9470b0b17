import type { BufferSet } from '../gpu/buffers.ts';
import type { Gpu } from '../gpu/device.ts';
import type { Kernel } from '../gpu/kernel.ts';
import type { Recorder } from '../gpu/recorder.ts';
import { NONE } from './batch.ts';
import { ceilDiv, type RowSource } from './forward.ts';
import type { PolicyKernels } from './kernels.ts';
import { logitStride, type PolicyConfiguration, projectedDim } from './policyConfiguration.ts';
import type { Workspace } from './workspace.ts';

/** What decode_layer.wgsl multiplies in every layer, and after the last. */
const LAYER_MATRICES = 4;

/** What a decoder has in common with the policy that it belongs to. */
export interface Decoded {
  readonly gpu: Gpu;
  readonly config: PolicyConfiguration;
  readonly buffers: BufferSet;
  readonly workspace: Workspace;
  readonly kernels: PolicyKernels;
}

/**
 * Inference for one new row of every sequence: a dispatch a layer, where `Forward` needs one for each step of it. Bit
 * for bit the same logits, keys and values.
 */
export class Decoder {
  private readonly activations: GPUBuffer;
  /** Rows that each part of the activations has room for. */
  private readonly capacity: number;
  /** Rows of a workgroup. */
  private readonly tile: number;

  constructor(
    private readonly policy: Decoded,
    private readonly kernel: Kernel<'policy/decode_layer'>,
  ) {
    const { config, kernels, workspace, buffers } = policy;
    this.tile = kernels.tiles.rows;
    this.capacity = ceilDiv(workspace.capacity.sequences, this.tile) * this.tile;
    const width = 3 * config.dim + config.ffDim + projectedDim(config);
    this.activations = buffers.storage('newest activations', this.capacity * width);
  }

  /** Records rows that are each the newest of their sequence through all layers and the head into `workspace.logits`. */
  record(recorder: Recorder, parameters: GPUBuffer, { rows, rowBase, counts, countIndex, most }: RowSource): void {
    const { config, workspace } = this.policy;
    const { layout } = workspace;
    const { activations, capacity } = this;
    const { logits, rotation } = workspace;
    const offset4 = (name: string) => layout.at(name).offset / 4;
    workspace.layers.forEach(({ keys, values }, layer) => {
      const own = (part: string) => offset4(`layers.${layer}.${part}`);
      const last = layer === config.layers - 1;
      recorder.dispatch(
        this.kernel,
        { counts, rows, parameters, activations, logits, rotation, keys, values },
        {
          rowBase,
          countIndex,
          embedded: layer === 0 ? 1 : 0,
          matrices: last ? LAYER_MATRICES + 1 : LAYER_MATRICES,
          capacity,
          dim4: config.dim / 4,
          ff4: config.ffDim / 4,
          logits4: logitStride(config) / 4,
          embedOffset4: offset4('embed'),
          smearOffset4: config.smear ? offset4('smear') : NONE,
          attnNormOffset4: own('attnNorm'),
          projectionOffset4: own('q'),
          outputOffset4: own('o'),
          ffNormOffset4: own('ffNorm'),
          gateOffset4: own('gate'),
          downOffset4: own('down'),
          normOffset4: offset4('norm'),
          epsilon: config.normEps,
        },
        [ceilDiv(most, this.tile)],
      );
    });
  }
}
