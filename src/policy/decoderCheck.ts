import { BufferSet, readBuffer } from '../gpu/buffers.ts';
import { Recorder } from '../gpu/recorder.ts';
import { type Decoded, Decoder } from './decoder.ts';
import type { Forward, RowSource } from './forward.ts';
import { attentionConstants } from './kernels.ts';
import { logitStride } from './policyConfiguration.ts';
import { initialParameters } from './weights.ts';

/** Rows of the check: more than one workgroup, and an edge that fills none. */
const ROWS = 45;
/** Largest difference of logits, relative to those above 1. */
const TOLERANCE = 1e-4;

/** A policy whose plain inference a decoder stands in for. */
type Inferring = Decoded & { readonly inference: Forward };

/**
 * A decoder where it pays: on software renderers with subgroups, for which a dispatch costs as much as many rows. A
 * graphics card would be left idle by so few invocations. Undefined too where it does not give the logits that the
 * policy's plain inference gives.
 */
export async function openDecoder(policy: Inferring): Promise<Decoder | undefined> {
  const { gpu, kernels } = policy;
  const { suffix, lanes } = kernels.tiles;
  if (suffix !== '_wide' || lanes === undefined) return undefined;
  const constants = { ...attentionConstants(policy.config), LANES: lanes };
  const decoder = new Decoder(policy, await gpu.kernels.get('policy/decode_layer', constants));
  return (await decoderAgrees(policy, decoder)) ? decoder : undefined;
}

/**
 * Whether a decoder gives, on this very device, the logits that the plain inference gives. Rows at the first positions
 * of some sequences are computed both ways; keys and values before them are those that a new policy has, zeros.
 */
async function decoderAgrees(policy: Inferring, decoder: Decoder): Promise<boolean> {
  const { gpu, config, workspace, inference } = policy;
  const { queue } = gpu.device;
  const count = Math.min(ROWS, workspace.capacity.sequences);
  const buffers = new BufferSet(gpu.device);
  const recorder = new Recorder(gpu.device, 64 * config.layers);
  const parameters = buffers.storage('check parameters', workspace.layout.padded);
  const counts = buffers.storage('check count', 1);
  const rows = buffers.storage('check rows', 4 * count);
  queue.writeBuffer(parameters, 0, initialParameters(config, 1) as Float32Array<ArrayBuffer>);
  queue.writeBuffer(counts, 0, Uint32Array.of(count));
  const row = (index: number) => {
    const token = (index * 7) % config.vocab;
    return [token, (token + 1) % config.vocab, index % Math.min(4, config.context), index * config.context];
  };
  queue.writeBuffer(rows, 0, Uint32Array.from(Array.from({ length: count }, (_, index) => row(index)).flat()));
  const source: RowSource = { rows, rowBase: 0, counts, countIndex: 0, most: count };
  const logits = async () => {
    recorder.submit();
    return new Float32Array(await readBuffer(gpu.device, workspace.logits, count * logitStride(config)));
  };
  try {
    inference.record(recorder, parameters, source, { ...source, targetBase: 0 });
    const expected = await logits();
    recorder.clear(workspace.logits);
    decoder.record(recorder, parameters, source);
    const actual = await logits();
    // Written so that a NaN is a disagreement.
    return expected.every((value, index) => {
      const column = index % logitStride(config);
      return column >= config.vocab || Math.abs(value - actual[index]) <= TOLERANCE * Math.max(1, Math.abs(value));
    });
  } finally {
    recorder.destroy();
    buffers.destroy();
  }
}
