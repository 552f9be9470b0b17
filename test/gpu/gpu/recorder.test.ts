import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BufferSet, ReadbackRing, readBuffer } from '../../../src/gpu/buffers.ts';
import { type Kernel, KernelCache, ShaderError } from '../../../src/gpu/kernel.ts';
import { Recorder } from '../../../src/gpu/recorder.ts';
import { testGpu } from '../gpu.ts';

const SHADERS: Readonly<Record<string, string>> = {
  'test/scale': /* wgsl */ `
    override LANES: u32 = 4;
    struct Params { count: u32, shift: i32, factor: f32 }
    @group(0) @binding(0) var<uniform> params: Params;
    @group(0) @binding(1) var<storage, read> source: array<f32>;
    @group(0) @binding(2) var<storage, read_write> goal: array<f32>;
    @compute @workgroup_size(LANES)
    fn main(@builtin(global_invocation_id) id: vec3u) {
      if (id.x < params.count) { goal[id.x] = params.factor * source[id.x] + f32(params.shift); }
    }`,
  'test/broken': '@compute @workgroup_size(1)\nfn main() {\n  let x: f32 = 1u;\n}',
};

// The type `string` is given because these names are not in the union of the shaders of the repository.
const SCALE: string = 'test/scale';
const BROKEN: string = 'test/broken';
const NONE: string = 'test/none';

const library = (name: string) => {
  const code = SHADERS[name];
  if (!code) throw new Error(`there is no shader "${name}"`);
  return code;
};

const UNIFORMS = { count: 8, shift: 0, factor: 2 };
let device: GPUDevice;
let buffers: BufferSet;
let recorder: Recorder;
let kernel: Kernel;
let source: GPUBuffer;
let goal: GPUBuffer;

beforeAll(async () => {
  device = (await testGpu()).device;
  buffers = new BufferSet(device);
  recorder = new Recorder(device, 3);
  kernel = await new KernelCache(device, library).get(SCALE);
  [source, goal] = ['source', 'goal'].map((label) => buffers.storage(label, 8));
  device.queue.writeBuffer(source, 0, Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8));
});

afterAll(() => {
  recorder?.destroy();
  buffers?.destroy();
});

const goals = async () => [...new Float32Array(await readBuffer(device, goal, 8))];

describe('a recorder', () => {
  test('each dispatch of a submission uses its own uniforms, in order of recording', async () => {
    const before = { ...recorder.counts };
    recorder.dispatch(kernel, { source, goal }, UNIFORMS, [2]);
    recorder.dispatch(kernel, { source, goal }, { count: 3, shift: -7, factor: 0.5 }, [2]);
    recorder.dispatch(kernel, { source, goal }, { count: 1, shift: 100, factor: 1 }, [2]);
    recorder.submit();
    expect(await goals()).toEqual([101, -6, -5.5, 8, 10, 12, 14, 16]);
    expect(recorder.counts).toEqual({ dispatches: before.dispatches + 3, submissions: before.submissions + 1 });
  });

  test('clears and copies run in order of recording between dispatches', async () => {
    recorder.dispatch(kernel, { source, goal }, UNIFORMS, [2]);
    recorder.clear(goal, 8);
    recorder.copy(source, 0, goal, 28, 4);
    recorder.submit();
    expect(await goals()).toEqual([0, 0, 6, 8, 10, 12, 14, 1]);
  });

  test('a dispatch of 0 workgroups is not recorded, and an empty recorder submits nothing', () => {
    const before = { ...recorder.counts };
    recorder.dispatch(kernel, { source, goal }, UNIFORMS, [0]);
    recorder.dispatch(kernel, { source, goal }, UNIFORMS, [1, 0]);
    recorder.submit();
    expect(recorder.counts).toEqual(before);
  });

  test('the error for a missing or unknown binding or uniform contains its name', () => {
    const dispatch = (bindings: Record<string, GPUBuffer>, uniforms: Record<string, number>) => () =>
      recorder.dispatch(kernel, bindings, uniforms, [2]);
    expect(dispatch({ source }, UNIFORMS)).toThrow('test/scale: binding "goal" is missing');
    expect(dispatch({ source, goal }, { count: 8, factor: 2 })).toThrow('test/scale: uniform "shift" is missing');
    expect(dispatch({ source, goal }, { ...UNIFORMS, offset: 1 })).toThrow('test/scale: there is no uniform "offset"');
    const renamed = { count: 8, shift: 0, scale: 2 };
    expect(dispatch({ source, goal }, renamed)).toThrow('test/scale: uniform "factor" is missing');
  });

  test('a recorder rejects more dispatches than it has slots, and accepts them after a submit', async () => {
    for (let i = 0; i < 3; i++) recorder.dispatch(kernel, { source, goal }, { ...UNIFORMS, shift: i }, [2]);
    const more = () => recorder.dispatch(kernel, { source, goal }, UNIFORMS, [2]);
    expect(more).toThrow('test/scale: more than 3 dispatches in a submission');
    recorder.submit();
    expect(await goals()).toEqual([4, 6, 8, 10, 12, 14, 16, 18]);
    expect(more).not.toThrow();
    recorder.submit();
  });
});

describe('kernels', () => {
  test('kernels are compiled once for the same constants, in any order', async () => {
    const kernels = new KernelCache(device, library);
    const wide = kernels.get(SCALE, { LANES: 8 });
    expect(kernels.get(SCALE, { LANES: 8 })).toBe(wide);
    expect(kernels.get(SCALE)).not.toBe(wide);
    expect((await wide).interface.uniforms.map(({ name, type, offset }) => [name, type, offset])).toEqual([
      ['count', 'u32', 0],
      ['shift', 'i32', 1],
      ['factor', 'f32', 2],
    ]);
  });

  test('the error of a kernel that does not compile contains file and line', async () => {
    const broken = new KernelCache(device, library).get(BROKEN);
    await expect(broken).rejects.toThrow(ShaderError);
    await expect(broken).rejects.toThrow(/^shaders\/test\/broken\.wgsl:3:\d+: /);
    await device.queue.onSubmittedWorkDone();
    (await testGpu()).readError(); // the device reports the same error again
  });

  test('the error for a kernel that does not exist contains its name', async () => {
    await expect(new KernelCache(device, library).get(NONE)).rejects.toThrow('there is no shader "test/none"');
  });
});

describe('buffers', () => {
  test('a buffer above the binding limit of the device is rejected with its name and size', () => {
    const limit = device.limits.maxStorageBufferBindingSize;
    expect(() => buffers.storage('partial gradients', limit / 4 + 1)).toThrow(
      `buffer "partial gradients" would take ${limit + 16} bytes; this device binds at most ${limit}`,
    );
  });

  test('a new buffer contains zeros, and its size is a multiple of a vector', async () => {
    const buffer = buffers.storage('five words', 5);
    expect(buffer.size).toBe(32);
    expect([...new Uint32Array(await readBuffer(device, buffer, 8))]).toEqual(Array(8).fill(0));
  });
});

describe('a read-back ring', () => {
  test('a read-back ring returns data as of its recording, and throws if it is full', async () => {
    const ring = new ReadbackRing(buffers, 'report', 2, 2);
    const reads = [1, 2].map((factor) => {
      recorder.dispatch(kernel, { source, goal }, { ...UNIFORMS, factor }, [2]);
      const read = ring.record(recorder, goal);
      recorder.submit();
      return read;
    });
    expect(ring.ready).toBe(false);
    expect(() => ring.record(recorder, goal)).toThrow('read-back ring is full');
    expect([...new Float32Array(await reads[1]())]).toEqual([2, 4]);
    expect(ring.ready).toBe(true);
    expect([...new Float32Array(await reads[0]())]).toEqual([1, 2]);
    const again = ring.record(recorder, source, 1);
    recorder.submit();
    expect([...new Float32Array(await again())]).toEqual([1]);
  });
});
