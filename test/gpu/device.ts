import { nodeGpu } from '../../src/cli/framework/node.ts';
import { openAdapter } from '../../src/gpu/device.ts';

let device: Promise<GPUDevice> | undefined;
const errors: string[] = [];

/**
 * Returns the device of the test file. The first call opens it with the default limits, which every browser grants, and
 * with subgroups if the adapter has them. A WebGPU error that no error scope catches fails the test in which it occurs.
 * @throws {Error} if there is no adapter
 */
export function testDevice(): Promise<GPUDevice> {
  device ??= openDevice();
  return device;
}

async function openDevice(): Promise<GPUDevice> {
  const adapter = await openAdapter(await nodeGpu());
  const requiredFeatures: GPUFeatureName[] = adapter.features.has('subgroups') ? ['subgroups'] : [];
  const opened = await adapter.requestDevice({ requiredFeatures });
  opened.addEventListener('uncapturederror', (event) => {
    errors.push((event as GPUUncapturedErrorEvent).error.message);
  });
  return opened;
}

/** Copies a buffer (usage COPY_SRC) to the CPU. */
export async function readBuffer(buffer: GPUBuffer): Promise<ArrayBuffer> {
  const owner = await testDevice();
  const staging = owner.createBuffer({ size: buffer.size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  const encoder = owner.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
  owner.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const copy = staging.getMappedRange().slice(0);
  staging.destroy();
  return copy;
}

/** Fails if an error scope missed a WebGPU error of the current test. */
export async function expectNoErrors(): Promise<void> {
  // Errors arrive during the work of the queue, so the queue finishes before they are read.
  if (device) await (await device).queue.onSubmittedWorkDone();
  const uncaught = errors.splice(0);
  if (uncaught.length > 0) throw new Error(`uncaught WebGPU error: ${uncaught.join('; ')}`);
}

/** Destroys the device of the test file. */
export async function closeDevice(): Promise<void> {
  const closed = device;
  device = undefined;
  (await closed)?.destroy();
}
