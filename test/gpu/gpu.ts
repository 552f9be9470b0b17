import { afterAll } from 'vitest';
import { nodeGpu, nodeShaderLibrary } from '../../src/cli/framework/node.ts';
import { type Gpu, openGpu } from '../../src/gpu/device.ts';

let opened: Promise<Gpu> | undefined;

/** The test file's GPU with the project's shaders. Fails without an adapter; uncaught errors fail the file. */
export function testGpu(): Promise<Gpu> {
  opened ??= nodeGpu().then((gpu) => openGpu(gpu, nodeShaderLibrary()));
  return opened;
}

afterAll(async () => {
  if (!opened) return;
  const gpu = await opened;
  await gpu.device.queue.onSubmittedWorkDone();
  const error = gpu.takeError();
  gpu.device.destroy();
  if (error) throw new Error(`uncaught WebGPU error: ${error}`);
});
