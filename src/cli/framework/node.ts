import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { create as createGpu } from 'webgpu';
import { compiledKernels } from '../../engine/exact/compile.ts';
import { ExactDevice } from '../../engine/exact/exactDevice.ts';
import { type Gpu, isSoftware, NoWebGpuError, openAdapter, openGpu } from '../../gpu/device.ts';

let gpu: Promise<GPU> | undefined;

/**
 * Returns Node's `navigator.gpu` (Dawn) and adds the WebGPU classes and flags to globalThis. A process has one object.
 * Dawn prevents the process from ending: destroy the device or call process.exit when the work is done.
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
  restWhileMapping(GPUBuffer.prototype);
  return dawn.create([]);
}

/** Pause per turn of the event loop while a buffer is mapped [ms]. */
const REST_MS = 0.25;

/**
 * Pauses the event loop while a buffer is mapped. Dawn's binding polls on every turn of the loop without a pause, which
 * uses one core completely on any adapter. Browsers do not poll.
 */
export function restWhileMapping(prototype: Pick<GPUBuffer, 'mapAsync'>): void {
  const never = new Int32Array(new SharedArrayBuffer(4));
  const { mapAsync } = prototype;
  prototype.mapAsync = async function (this: GPUBuffer, ...parameters) {
    let isPending = true;
    const rest = () => {
      if (!isPending) return;
      Atomics.wait(never, 0, 0, REST_MS);
      setImmediate(rest);
    };
    setImmediate(rest);
    try {
      return await mapAsync.apply(this, parameters);
    } finally {
      isPending = false;
    }
  };
}

/**
 * Opens WebGPU in Node.
 * @param shaders source of the shaders; the shaders of the repository by default
 * @param kind `card` rejects software renderers
 * @throws {NoWebGpuError} if there is no adapter
 */
export async function openNodeGpu(shaders = nodeShaderLibrary(), kind?: 'card'): Promise<Gpu> {
  const adapter = await openAdapter(await nodeGpu());
  if (kind === 'card' && isSoftware(adapter)) throw new NoWebGpuError('The adapter is a software renderer.');
  return openGpu(adapter, shaders);
}

/** Returns the source of the module `turnwise` that custom rules import: the file of the Python package. */
export async function nodeRuleLibrary(): Promise<string> {
  return readFileSync(new URL('../../../python/turnwise_rl/core.py', import.meta.url), 'utf8');
}

/**
 * Returns a function that reads shaders from the repository. The page bundles its shaders instead.
 * @returns function from a name such as `policy/linear` to WGSL source
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

/** Opens the processor as a device in Node. Compiles the kernels if no compiled kernels of their sources exist. */
export async function nodeExactDevice(): Promise<ExactDevice> {
  return ExactDevice.open(await readFile(await compiledKernels()));
}
