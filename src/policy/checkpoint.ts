import type { CriticState } from './critic.ts';
import type { PolicyState } from './policy.ts';
import {
  type ParameterLayout,
  type PolicyConfiguration,
  packTensors,
  parameterLayout,
  unpackTensors,
} from './weights.ts';

/** Error for a checkpoint that cannot be read. The message names the problem and its location. */
export class CheckpointError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CheckpointError';
  }
}

interface Entry {
  readonly dtype: 'F32';
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** Groups of a checkpoint's tensors. The policy's tensors have no prefix, so other tools can read them unchanged. */
const PARTS = [
  ['parameters', ''],
  ['reference', 'reference.'],
  ['firstMoment', 'optimizer.first.'],
  ['secondMoment', 'optimizer.second.'],
] as const;

/** Groups of a critic's tensors. */
const CRITIC_PARTS = [
  ['parameters', 'critic.'],
  ['firstMoment', 'critic.optimizer.first.'],
  ['secondMoment', 'critic.optimizer.second.'],
] as const;

/** Fields of a policy that the shapes of its tensors do not determine, or not by name. */
const UNSEEN = ['heads', 'kvHeads', 'context', 'ropeBase', 'normEps', 'smear'] as const;

/** Padding of the header up to the start of the data. */
const SPACE = 0x20;

/**
 * Writes a checkpoint as one safetensors file: 8 bytes of header length, a JSON header, float32 little-endian data.
 * @param metadata additional strings, for example the origin of the policy
 */
export function writeCheckpoint(
  config: PolicyConfiguration,
  state: PolicyState | Pick<PolicyState, 'parameters'>,
  metadata: Readonly<Record<string, string>> = {},
): ArrayBuffer {
  const { critic, steps = 0, ...flats } = state as Partial<PolicyState>;
  const fullMetadata = { ...metadata, policy: JSON.stringify(config), steps: String(steps), ...criticMetadata(critic) };
  const header: Record<string, Entry | Record<string, string>> = { __metadata__: fullMetadata };
  const parts: Float32Array[] = [];
  let offset = 0;
  const add = (layout: ParameterLayout, prefix: string, flat: Float32Array | undefined) => {
    for (const [name, values] of Object.entries(flat ? unpackTensors(layout, flat) : {})) {
      const end = offset + values.length * 4;
      header[prefix + name] = { dtype: 'F32', shape: layout.at(name).shape, data_offsets: [offset, end] };
      parts.push(values);
      offset = end;
    }
  };
  const layout = parameterLayout(config);
  for (const [part, prefix] of PARTS) add(layout, prefix, flats[part]);
  const criticLayout = parameterLayout({ ...config, valueHead: true });
  for (const [part, prefix] of CRITIC_PARTS) add(criticLayout, prefix, critic?.[part]);
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = Math.ceil(text.length / 8) * 8;
  const file = new ArrayBuffer(8 + length + offset);
  new DataView(file).setBigUint64(0, BigInt(length), true);
  new Uint8Array(file, 8, length).fill(SPACE).set(text);
  const data = new Float32Array(file, 8 + length);
  let at = 0;
  for (const values of parts) {
    data.set(values, at);
    at += values.length;
  }
  return file;
}

/**
 * Reads a checkpoint. A file with only parameters starts a run: its parameters are also the reference, and the moments
 * are 0.
 * @throws {CheckpointError} for a damaged or foreign file, another policy, a wrong shape or a number that is not finite
 */
export function readCheckpoint(config: PolicyConfiguration, file: ArrayBuffer): PolicyState {
  const { header, data } = readHeader(file);
  const metadata = checkpointMetadata(file);
  checkMetadata(config, metadata.policy);
  const policyLayout = parameterLayout(config);
  const read = (part: string, prefix: string, optional: boolean, layout = policyLayout): Float32Array | undefined => {
    if (optional && !(prefix + layout.tensors[0].name in header)) return undefined;
    const tensors = layout.tensors.map(({ name, shape }) => {
      const values = readTensor(header, data, prefix + name, shape);
      const bad = values.findIndex((value) => !Number.isFinite(value));
      if (bad >= 0) throw new CheckpointError(`${part}: tensor "${prefix + name}" holds ${values[bad]} at ${bad}`);
      return [name, values] as const;
    });
    return packTensors(layout, Object.fromEntries(tensors));
  };
  const parameters = read('parameters', '', false) as Float32Array;
  const steps = Number(metadata.steps ?? 0);
  const criticLayout = parameterLayout({ ...config, valueHead: true });
  const critic = read('critic', 'critic.', true, criticLayout) && {
    ...(Object.fromEntries(
      CRITIC_PARTS.map(([part, prefix]) => [part, read(`critic's ${part}`, prefix, false, criticLayout)]),
    ) as Pick<CriticState, (typeof CRITIC_PARTS)[number][0]>),
    ...readCriticMetadata(metadata.critic),
  };
  return {
    ...(critic ? { critic } : {}),
    parameters,
    reference: read('reference', 'reference.', true) ?? parameters,
    firstMoment: read('first moment', 'optimizer.first.', true) ?? new Float32Array(policyLayout.padded),
    secondMoment: read('second moment', 'optimizer.second.', true) ?? new Float32Array(policyLayout.padded),
    steps: Number.isInteger(steps) && steps >= 0 ? steps : 0,
  };
}

/** Returns the metadata strings of a checkpoint. @throws {CheckpointError} for a damaged or foreign file */
export function checkpointMetadata(file: ArrayBuffer): Readonly<Record<string, unknown>> {
  return (readHeader(file).header.__metadata__ ?? {}) as Record<string, unknown>;
}

type CriticProgress = Pick<CriticState, 'steps' | 'rule' | 'updates'>;

function criticMetadata(critic: CriticState | undefined): Readonly<Record<string, string>> {
  if (!critic) return {};
  const { steps, rule, updates } = critic;
  return { critic: JSON.stringify({ steps, rule, updates }) };
}

function readCriticMetadata(text: unknown): CriticProgress {
  let stored: Partial<CriticProgress> | null = null;
  try {
    stored = JSON.parse(String(text));
  } catch {
    // The error is reported below.
  }
  const { steps, rule, updates } = stored ?? {};
  const count = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;
  if (count(steps) && count(updates) && typeof rule === 'string') return { steps, rule, updates };
  throw new CheckpointError('the checkpoint has a critic, but its metadata "critic" does not contain its progress');
}

/** Compares the policy in the file's metadata, if present, with the expected policy. */
function checkMetadata(config: PolicyConfiguration, text: unknown): void {
  if (text === undefined) return;
  let stored: Partial<PolicyConfiguration> | null;
  try {
    stored = JSON.parse(String(text));
  } catch {
    throw new CheckpointError('the checkpoint\'s metadata "policy" is not JSON');
  }
  for (const field of UNSEEN) {
    const value = stored?.[field];
    if (value !== undefined && value !== config[field]) {
      throw new CheckpointError(`the checkpoint's policy has ${field} ${value}, this policy needs ${config[field]}`);
    }
  }
}

function readHeader(file: ArrayBuffer): { header: Record<string, unknown>; data: ArrayBuffer } {
  if (file.byteLength < 8) throw new CheckpointError(`not a checkpoint: ${file.byteLength} bytes are too few`);
  const length = Number(new DataView(file).getBigUint64(0, true));
  if (length > file.byteLength - 8) {
    throw new CheckpointError(
      `not a checkpoint, or cut off: its header should have ${length} bytes of ${file.byteLength}`,
    );
  }
  try {
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 8, length))) as unknown;
    if (typeof header !== 'object' || header === null || Array.isArray(header)) throw new Error('it is no object');
    return { header: header as Record<string, unknown>, data: file.slice(8 + length) };
  } catch (error) {
    throw new CheckpointError(`the checkpoint's header is not readable: ${(error as Error).message}`);
  }
}

function readTensor(
  header: Record<string, unknown>,
  data: ArrayBuffer,
  name: string,
  shape: readonly number[],
): Float32Array {
  const entry = header[name] as Partial<Entry> | undefined;
  if (!entry) throw new CheckpointError(`the checkpoint lacks tensor "${name}"`);
  if (entry.dtype !== 'F32') throw new CheckpointError(`tensor "${name}" is ${entry.dtype}, not F32`);
  if (JSON.stringify(entry.shape) !== JSON.stringify(shape)) {
    throw new CheckpointError(
      `tensor "${name}" is ${[entry.shape].flat().join(' x ')}, this policy needs ${shape.join(' x ')}`,
    );
  }
  const [start, end] = Array.isArray(entry.data_offsets) ? entry.data_offsets : [NaN, NaN];
  const bytes = 4 * shape.reduce((product, size) => product * size, 1);
  if (end - start !== bytes || start < 0 || end > data.byteLength) {
    throw new CheckpointError(
      `tensor "${name}" lies outside the file (bytes ${start} to ${end} of ${data.byteLength})`,
    );
  }
  return new Float32Array(data.slice(start, end));
}

/**
 * Computes a digest of parameters: MurmurHash3 (32 bits, seed 0) over the bits of all numbers in order. Equal
 * parameters have equal digests in all browsers and on all processors. All NaN values count as equal.
 * @param arrays for example the parameters of the policy, then the parameters of the critic
 * @returns a whole number from 0 to 2³² − 1
 */
export function parameterDigest(...arrays: readonly Float32Array[]): number {
  let hash = 0;
  let bytes = 0;
  for (const array of arrays) {
    const blocks = new Uint32Array(array.buffer, array.byteOffset, array.length);
    for (let i = 0; i < array.length; i++) {
      let block = Number.isNaN(array[i]) ? CANONICAL_NAN : blocks[i];
      block = Math.imul(block, 0xcc9e2d51);
      block = Math.imul((block << 15) | (block >>> 17), 0x1b873593);
      hash ^= block;
      hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
    }
    bytes += array.byteLength;
  }
  hash ^= bytes;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const CANONICAL_NAN = 0x7fc00000;

/** Computes the digest of a state: the policy's parameters, then the critic's if there is one. Padding is excluded. */
export function stateDigest(
  config: PolicyConfiguration,
  { parameters, critic }: Pick<PolicyState, 'parameters' | 'critic'>,
): number {
  const { size } = parameterLayout(config);
  const valued = parameterLayout({ ...config, valueHead: true });
  return parameterDigest(parameters.subarray(0, size), ...(critic ? [critic.parameters.subarray(0, valued.size)] : []));
}
