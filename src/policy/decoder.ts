import type { Kernel } from '../gpu/kernel.ts';
import type { Recorder } from '../gpu/recorder.ts';
import { NONE } from './batch.ts';
import { decoderAgrees } from './decoderCheck.ts';
import { ceilDiv, type RowSource } from './forward.ts';
import { attentionConstants } from './kernels.ts';
import type { Policy } from './policy.ts';
import { logitStride, projectedDim } from './policyConfiguration.ts';

/** What decode_layer.wgsl multiplies in every layer, and after the last. */
const LAYER_MATRICES = 4;

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
    private readonly policy: Policy,
    private readonly kernel: Kernel<'policy/decode_layer'>,
  ) {
    const { config, kernels, workspace, buffers } = policy;
    this.tile = kernels.tiles.rows;
    this.capacity = ceilDiv(workspace.capacity.sequences, this.tile) * this.tile;
    const width = 3 * config.dim + config.ffDim + projectedDim(config);
    this.activations = buffers.storage('newest activations', this.capacity * width);
  }

  /** Records rows that are each the newest of their sequence through all layers and the head into `workspace.logits`. */
  encode(recorder: Recorder, parameters: GPUBuffer, { rows, rowBase, counts, countIndex, most }: RowSource): void {
    const { config, layout, workspace } = this.policy;
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

/**
 * A decoder where it pays: on software renderers with subgroups, to which a dispatch costs as much as many rows. A
 * graphics card would be left idle by so few invocations. Undefined too where it does not give what `Forward` gives.
 */
export async function openDecoder(policy: Policy): Promise<Decoder | undefined> {
  const { gpu, kernels } = policy;
  const { suffix, lanes } = kernels.tiles;
  if (suffix !== '_wide' || lanes === undefined) return undefined;
  const constants = { ...attentionConstants(policy.config), LANES: lanes };
  const decoder = new Decoder(policy, await gpu.kernels.get('policy/decode_layer', constants));
  return (await decoderAgrees(policy, decoder)) ? decoder : undefined;
}
