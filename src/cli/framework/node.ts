import { readFileSync } from 'node:fs';
import type { create as createGpu } from 'webgpu';
import { type Gpu, NoWebGpuError, openAdapter, openGpu } from '../../gpu/device.ts';
import { waitPatiently } from './patience.ts';

let gpu: Promise<GPU> | undefined;

/**
 * Node's `navigator.gpu`: Dawn, with the WebGPU classes and flags put on globalThis. One object a process.
 * Dawn keeps its process alive; destroy the device or call process.exit when the work is done.
 */
export function nodeGpu(): Promise<GPU> {
  gpu ??= startDawn();
  return gpu;
}

async function startDawn(): Promise<GPU> {
  let dawn: { create: typeof createGpu; globals: object };
  try {
    dawn = await import('webgpu');
  } catch (cause) {
    throw new NoWebGpuError(`WebGPU for Node has no build for ${process.platform} on ${process.arch}.`, { cause });
  }
  Object.assign(globalThis, dawn.globals);
  waitPatiently(GPUBuffer.prototype);
  return dawn.create([]);
}

/** Opens WebGPU in Node with the shaders of the repository. @throws {NoWebGpuError} if there is no adapter */
export async function openNodeGpu(shaders = nodeShaderLibrary()): Promise<Gpu> {
  return openGpu(await openAdapter(await nodeGpu()), shaders);
}

/** What rules of one's own import from `turnwise`: the package's own file. */
export async function nodeRuleLibrary(): Promise<string> {
  return readFileSync(new URL('../../../python/turnwise_rl/core.py', import.meta.url), 'utf8');
}

/**
 * Reads shaders from the repository, where the page has them bundled.
 * @returns the WGSL text of a name such as `policy/linear`
 */
export function nodeShaderLibrary(): (name: string) => string {
  return (name) => {
    const file = new URL(`../../../shaders/${name}.wgsl`, import.meta.url);
    try {
      return readFileSync(file, 'utf8');
    } catch (cause) {
      throw new Error(`there is no shader "${name}" (shaders/${name}.wgsl)`, { cause });
    }
  };
}
