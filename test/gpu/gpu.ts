import { afterAll } from 'vitest';
import { openNodeGpu } from '../../src/cli/framework/node.ts';
import { WgslDevice } from '../../src/engine/wgsl/wgslDevice.ts';
import { WgslEngine } from '../../src/engine/wgsl/wgslEngine.ts';
import type { Gpu } from '../../src/gpu/device.ts';
import type { Trainer } from '../../src/training/run/trainer.ts';

let opened: Promise<Gpu> | undefined;

/** The test file's GPU with the project's shaders. Fails without an adapter; uncaught errors fail the file. */
export function testGpu(): Promise<Gpu> {
  opened ??= openNodeGpu();
  return opened;
}

/** The engine of a trainer, with its buffers. */
export function wgslOf({ engine }: Pick<Trainer, 'engine'>): WgslEngine {
  if (engine instanceof WgslEngine) return engine;
  throw new Error(`a WebGPU engine was expected, not ${engine.device.engine}`);
}

/** The test file's GPU as a device on which engines run. */
export async function testDevice(): Promise<WgslDevice> {
  return new WgslDevice(await testGpu());
}

afterAll(async () => {
  if (!opened) return;
  const gpu = await opened;
  await gpu.device.queue.onSubmittedWorkDone();
  const error = gpu.takeError();
  gpu.device.destroy();
  if (error) throw new Error(`uncaught WebGPU error: ${error}`);
});
