import { expect, test } from 'vitest';
import { nodeShaderLibrary, openNodeGpu } from '../../../src/cli/framework/node.ts';
import type { Gpu } from '../../../src/gpu/device.ts';
import type { ShaderLibrary } from '../../../src/gpu/shaderLibrary.ts';
import { matrixTiles, PLAIN } from '../../../src/policy/kernels.ts';

async function withGpu<T>(shaders: ShaderLibrary, use: (gpu: Gpu) => Promise<T>): Promise<T> {
  const gpu = await openNodeGpu(shaders);
  const result = await use(gpu);
  expect(gpu.readError()).toBeUndefined();
  gpu.device.destroy();
  return result;
}

/** Returns the shader library with one line of one shader changed. */
function broken(name: string, line: string, replacement: string): ShaderLibrary {
  const shaders = nodeShaderLibrary();
  if (!shaders(name).includes(line)) throw new Error(`${name} has no "${line}"`);
  return (requested) => (requested === name ? shaders(name).replaceAll(line, replacement) : shaders(requested));
}

test('kernels with subgroups are chosen exactly on devices whose subgroups have at least eight lanes', async () => {
  await withGpu(nodeShaderLibrary(), async (gpu) => {
    expect((await matrixTiles(gpu)).suffix).toBe(gpu.subgroups ? '_subgroup' : '');
  });
});

test('a device without subgroups uses the plain kernels', async () => {
  await withGpu(nodeShaderLibrary(), async (gpu) => {
    expect(await matrixTiles({ ...gpu, subgroups: false })).toBe(PLAIN);
  });
});

test.each([
  ['policy/linear_subgroup', 'subgroupBroadcast(high, 5u)', 'subgroupBroadcast(high, 4u)'],
  ['policy/linear_backward_input_subgroup', 'y3.w * w', 'y3.z * w'],
  ['policy/linear_backward_weight_subgroup', 'y7.w * x', '1.001 * y7.w * x'],
])('a device on which %s computes wrong results uses the plain kernels', async (name, line, replacement) => {
  await withGpu(broken(name, line, replacement), async (gpu) => {
    const subgroups = gpu.device.features.has('subgroups');
    expect(await matrixTiles({ ...gpu, subgroups })).toBe(PLAIN);
  });
});
