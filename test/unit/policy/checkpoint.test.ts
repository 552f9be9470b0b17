import { describe, expect, test } from 'vitest';
import { CheckpointError, readCheckpoint, writeCheckpoint } from '../../../src/policy/checkpoint.ts';
import { type PolicyConfiguration, standardPolicy } from '../../../src/policy/policyConfiguration.ts';
import { initialParameters, parameterLayout } from '../../../src/policy/weights.ts';

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

/** The header of a file, and where its data begins. */
function headerOf(written: ArrayBuffer): { header: Header; data: number } {
  const length = Number(new DataView(written).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(written, 8, length)));
  return { header, data: 8 + length };
}

/** The file with another header: entries replaced, or left out where they are undefined. */
function withHeader(entries: Record<string, unknown>): ArrayBuffer {
  return replaced({ ...headerOf(file).header, ...entries });
}

/** The file with other fields of the tensor "norm". */
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

describe('a checkpoint', () => {
  test('gives the whole state back, bit for bit', () => {
    expect(readCheckpoint(config, file)).toEqual(state);
  });

  test('contains a critic, its moments and its progress', () => {
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
    // Without one nothing is missed.
    expect(readCheckpoint(config, file).critic).toBeUndefined();
  });

  test('with a critic contains its progress, or is refused', () => {
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

  test('with only parameters starts a run: the parameters are the reference, without progress', () => {
    const zeros = new Float32Array(layout.padded);
    const expected = { parameters, reference: parameters, firstMoment: zeros, secondMoment: zeros, steps: 0 };
    expect(readCheckpoint(config, writeCheckpoint(config, { parameters }))).toEqual(expected);
  });

  test.each(['', 'a', 'ab', 'é', 'für später', '名前', '🙂🙂'])('keeps its data aligned with metadata "%s"', (note) => {
    const written = writeCheckpoint(config, state, { note });
    const { header, data } = headerOf(written);
    expect([data % 8, header.__metadata__.note]).toEqual([0, note]);
    expect(written.byteLength).toBe(data + 4 * 4 * layout.tensors.reduce((sum, { size }) => sum + size, 0));
    expect(readCheckpoint(config, written)).toEqual(state);
  });

  test('is a safetensors file: its tensors cover the data without gaps', () => {
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

  test('may come from another program, without metadata', () => {
    const foreign = withHeader({ __metadata__: undefined });
    expect(readCheckpoint(config, foreign)).toEqual({ ...state, steps: 0 });
  });
});

describe('a checkpoint is refused', () => {
  const notFinite = file.slice(0);
  new DataView(notFinite).setFloat32(headerOf(file).data + 8, Number.NaN, true);
  const html = new TextEncoder().encode('<!doctype html><title>Sign in</title>').buffer as ArrayBuffer;

  test.each([
    ['empty', new ArrayBuffer(0), '0 bytes are too few'],
    ['a page of the host', html, 'not a checkpoint, or cut off'],
    ['cut off in its header', file.slice(0, 60), 'not a checkpoint, or cut off'],
    ['cut off in its data', file.slice(0, -4), /tensor "optimizer\.second\..*" lies outside the file/],
    ['with a list for a header', replaced([]), 'header is not readable: it is no object'],
    ['without a tensor', withHeader({ norm: undefined }), 'lacks tensor "norm"'],
    ['half of a part', withHeader({ 'reference.norm': undefined }), 'lacks tensor "reference.norm"'],
    ['of other numbers', withNorm({ dtype: 'F16' }), '"norm" is F16, not F32'],
    ['of another shape', withNorm({ shape: [2, 16] }), '"norm" is 2 x 16, this policy'],
    ['with a shape in words', withNorm({ shape: 'long' }), '"norm" is long, this policy'],
    ['without places', withNorm({ data_offsets: 7 }), '"norm" lies outside the file'],
    ['with a number that is none', notFinite, 'tensor "embed" holds NaN at 2'],
    ['with broken metadata', withHeader({ __metadata__: { policy: '{' } }), '"policy" is not JSON'],
  ])('%s', (_, broken, message) => {
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
  ] as const)('by a policy of other %s', (field, value) => {
    const message = `the checkpoint's policy has ${field} ${config[field]}, this policy needs ${value}`;
    expect(() => readCheckpoint({ ...config, [field]: value }, file)).toThrow(message);
  });
});
