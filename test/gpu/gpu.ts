import { openNodeGpu } from '../../src/cli/framework/node.ts';
import { WgslDevice } from '../../src/engine/wgsl/wgslEngine.ts';
import type { Gpu } from '../../src/gpu/device.ts';

let opened: Promise<Gpu> | undefined;

/**
 * Returns the GPU of the test file with the shaders of the project. WebGPU errors that are not caught fail the file.
 * @throws {Error} if there is no adapter
 */
export function testGpu(): Promise<Gpu> {
  opened ??= openNodeGpu();
  return opened;
}

/** Returns the GPU of the test file as a device for engines. */
export async function testDevice(): Promise<WgslDevice> {
  return new WgslDevice(await testGpu());
}

/**
 * Destroys the GPU of the test file.
 * @throws {Error} if a WebGPU error was not handled
 */
export async function closeGpu(): Promise<void> {
  if (!opened) return;
  const gpu = await opened;
  opened = undefined;
  await gpu.device.queue.onSubmittedWorkDone();
  const error = gpu.readError();
  gpu.device.destroy();
  if (error) throw new Error(`uncaught WebGPU error: ${error}`);
}
