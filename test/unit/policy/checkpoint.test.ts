import { describe, expect, test } from 'vitest';
import { CheckpointError, parameterDigest, readCheckpoint, writeCheckpoint } from '../../../src/policy/checkpoint.ts';
import {
  initialParameters,
  type PolicyConfiguration,
  parameterLayout,
  standardPolicy,
} from '../../../src/policy/weights.ts';

const config: PolicyConfiguration = { ...standardPolicy(40, 36), dim: 32, layers: 1, ffDim: 16 };
const layout = parameterLayout(config);
const parameters = initialParameters(config, 1);
const state = {
  parameters,
  reference: initialParameters(config, 2),
  firstMoment: initialParameters(config, 3),
  secondMoment: initialParameters(config, 4),
  steps: 12,
};
const file = writeCheckpoint(config, state);

type Header = Record<string, Record<string, unknown>>;

/** Returns the header of a file and the offset of its data [bytes]. */
function headerOf(written: ArrayBuffer): { header: Header; data: number } {
  const length = Number(new DataView(written).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(written, 8, length)));
  return { header, data: 8 + length };
}

/** Returns the file with other header entries. An entry with the value undefined is removed. */
function withHeader(entries: Record<string, unknown>): ArrayBuffer {
  return replaced({ ...headerOf(file).header, ...entries });
}

/** Returns the file with other fields of the tensor "norm". */
function withNorm(fields: object): ArrayBuffer {
  return withHeader({ norm: { ...headerOf(file).header.norm, ...fields } });
}

function replaced(header: unknown): ArrayBuffer {
  const { data } = headerOf(file);
  const text = new TextEncoder().encode(JSON.stringify(header));
  const changed = new Uint8Array(8 + text.length + file.byteLength - data);
  new DataView(changed.buffer).setBigUint64(0, BigInt(text.length), true);
  changed.set(text, 8);
  changed.set(new Uint8Array(file, data), 8 + text.length);
  return changed.buffer;
}

describe('checkpoints', () => {
  test('readCheckpoint returns the state that writeCheckpoint wrote, bit for bit', () => {
    expect(readCheckpoint(config, file)).toEqual(state);
  });

  test('a checkpoint contains the critic, its moments and its progress', () => {
    const criticConfig = { ...config, valueHead: true };
    const critic = {
      parameters: initialParameters(criticConfig, 5),
      firstMoment: initialParameters(criticConfig, 6),
      secondMoment: initialParameters(criticConfig, 7),
      steps: 9,
      rule: 'mt-ppo',
      updates: 4,
    };
    const written = writeCheckpoint(config, { ...state, critic });
    expect(readCheckpoint(config, written)).toEqual({ ...state, critic });
    expect(headerOf(written).header['critic.valueHead'].shape).toEqual([1, config.dim]);
    // A checkpoint without a critic is valid too.
    expect(readCheckpoint(config, file).critic).toBeUndefined();
  });

  test('readCheckpoint throws an error for a critic without valid progress or without a tensor', () => {
    const { header } = headerOf(file);
    const criticLayout = parameterLayout({ ...config, valueHead: true });
    const names = ['critic.', 'critic.optimizer.first.', 'critic.optimizer.second.'];
    const tensors = names.flatMap((prefix) =>
      criticLayout.tensors.map(({ name, shape, size }) => {
        return [prefix + name, { dtype: 'F32', shape, data_offsets: [0, 4 * size] }] as const;
      }),
    );
    const withCritic = (metadata: unknown, entries = tensors) =>
      withHeader({ ...Object.fromEntries(entries), __metadata__: { ...header.__metadata__, critic: metadata } });
    const progress = JSON.stringify({ steps: 1, rule: 'ppo-or', updates: 1 });
    expect(readCheckpoint(config, withCritic(progress)).critic).toMatchObject({ steps: 1, rule: 'ppo-or', updates: 1 });
    for (const metadata of [
      undefined,
      'no JSON',
      'null',
      '{"steps":-1,"rule":"","updates":0}',
      '{"steps":1,"updates":1}',
    ]) {
      expect(() => readCheckpoint(config, withCritic(metadata)), String(metadata)).toThrow(
        'critic" does not contain its progress',
      );
    }
    const lacking = tensors.filter(([name]) => name !== 'critic.valueHead');
    expect(() => readCheckpoint(config, withCritic(progress, lacking))).toThrow('lacks tensor "critic.valueHead"');
  });

  test('a checkpoint with only parameters starts a run: they are also the reference, and moments and steps are 0', () => {
    const zeros = new Float32Array(layout.padded);
    const expected = { parameters, reference: parameters, firstMoment: zeros, secondMoment: zeros, steps: 0 };
    expect(readCheckpoint(config, writeCheckpoint(config, { parameters }))).toEqual(expected);
  });

  test.each(['', 'a', 'ab', 'é', 'für später', '名前', '🙂🙂'])(
    'writeCheckpoint aligns the data to 8 bytes with the metadata "%s"',
    (note) => {
      const written = writeCheckpoint(config, state, { note });
      const { header, data } = headerOf(written);
      expect([data % 8, header.__metadata__.note]).toEqual([0, note]);
      expect(written.byteLength).toBe(data + 4 * 4 * layout.tensors.reduce((sum, { size }) => sum + size, 0));
      expect(readCheckpoint(config, written)).toEqual(state);
    },
  );

  test('a checkpoint is a safetensors file whose tensors cover the data without gaps', () => {
    const { header, data } = headerOf(file);
    const { __metadata__, ...tensors } = header;
    let at = 0;
    for (const { data_offsets: offsets } of Object.values(tensors)) {
      const [start, end] = offsets as [number, number];
      expect(start).toBe(at);
      at = end;
    }
    expect(at).toBe(file.byteLength - data);
    expect(__metadata__.steps).toBe('12');
  });

  test('readCheckpoint reads a file of another program, without metadata', () => {
    const foreign = withHeader({ __metadata__: undefined });
    expect(readCheckpoint(config, foreign)).toEqual({ ...state, steps: 0 });
  });
});

describe('invalid checkpoints', () => {
  const notFinite = file.slice(0);
  new DataView(notFinite).setFloat32(headerOf(file).data + 8, Number.NaN, true);
  const html = new TextEncoder().encode('<!doctype html><title>Sign in</title>').buffer as ArrayBuffer;

  test.each([
    ['an empty file', new ArrayBuffer(0), '0 bytes are too few'],
    ['an HTML page', html, 'not a checkpoint, or cut off'],
    ['a file truncated in its header', file.slice(0, 60), 'not a checkpoint, or cut off'],
    ['a file truncated in its data', file.slice(0, -4), /tensor "optimizer\.second\..*" lies outside the file/],
    ['a header that is a list', replaced([]), 'header is not readable: it is no object'],
    ['a missing tensor', withHeader({ norm: undefined }), 'lacks tensor "norm"'],
    [
      'a reference policy without one of its tensors',
      withHeader({ 'reference.norm': undefined }),
      'lacks tensor "reference.norm"',
    ],
    ['a tensor of another number type', withNorm({ dtype: 'F16' }), '"norm" is F16, not F32'],
    ['a tensor of another shape', withNorm({ shape: [2, 16] }), '"norm" is 2 x 16, this policy'],
    ['a tensor shape that is not a list', withNorm({ shape: 'long' }), '"norm" is long, this policy'],
    ['a tensor without a range of bytes', withNorm({ data_offsets: 7 }), '"norm" lies outside the file'],
    ['a tensor with NaN', notFinite, 'tensor "embed" holds NaN at 2'],
    ['metadata that is not JSON', withHeader({ __metadata__: { policy: '{' } }), '"policy" is not JSON'],
  ])('readCheckpoint throws an error for %s', (_, broken, message) => {
    expect(() => readCheckpoint(config, broken)).toThrow(message);
    expect(() => readCheckpoint(config, broken)).toThrow(CheckpointError);
  });

  test.each([
    ['heads', 2],
    ['kvHeads', 2],
    ['context', 48],
    ['ropeBase', 500],
    ['normEps', 1e-6],
    ['smear', false],
  ] as const)('readCheckpoint throws an error for a policy with another value of %s', (field, value) => {
    const message = `the checkpoint's policy has ${field} ${config[field]}, this policy needs ${value}`;
    expect(() => readCheckpoint({ ...config, [field]: value }, file)).toThrow(message);
  });
});

/** Returns the float32 number whose bytes are four letters. */
const floatOf = (letters: string) => new Float32Array(new TextEncoder().encode(letters).buffer);

test('the digest of parameters is MurmurHash3 of their bytes', () => {
  expect(parameterDigest()).toBe(0);
  expect(parameterDigest(floatOf('test'))).toBe(0xba6bd213);
  expect(parameterDigest(Float32Array.of(1, -2, 0.5))).toBe(2527153090);
});

test('the digest of parameters depends on every bit and on the order, and not on the division into arrays', () => {
  const digest = parameterDigest(Float32Array.of(1, -0, 3));
  expect(parameterDigest(Float32Array.of(1), Float32Array.of(-0, 3))).toBe(digest);
  expect(parameterDigest(Float32Array.of(1, 0, 3))).not.toBe(digest);
  expect(parameterDigest(Float32Array.of(-0, 1, 3))).not.toBe(digest);
});

test('the digest of parameters is the same for every NaN', () => {
  const [positive, negative] = [Uint32Array.of(0x7fc00000), Uint32Array.of(0xffc00001)];
  expect(parameterDigest(new Float32Array(negative.buffer))).toBe(parameterDigest(new Float32Array(positive.buffer)));
});
