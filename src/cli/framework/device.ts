import type { EngineDevice } from '../../engine/engine.ts';
import { WgslDevice } from '../../engine/wgsl/wgslDevice.ts';
import { type Gpu, NoWebGpuError } from '../../gpu/device.ts';
import type { Terminal } from './terminal.ts';

/** The device went away in the middle of the work. */
class DeviceLostError extends Error {
  constructor(info: GPUDeviceLostInfo) {
    super(`the GPU device was lost (${info.message || info.reason})`);
    this.name = 'DeviceLostError';
  }
}

/** A lost device shows first in some command's failure; its own message follows within so many milliseconds. */
const GRACE = 200;

/**
 * Opens a device for some work and destroys it afterwards.
 * @throws {DeviceLostError} when the device goes away, whatever the work was waiting for
 */
export async function withGpu<Result>(terminal: Terminal, work: (gpu: Gpu) => Promise<Result>): Promise<Result> {
  const gpu = await open(terminal);
  const lost = gpu.lost.then((info): never => {
    throw new DeviceLostError(info);
  });
  const grace = () => new Promise<void>((resolve) => setTimeout(resolve, GRACE));
  try {
    const working = work(gpu).catch(async (error: unknown) => {
      await Promise.race([lost, grace()]);
      throw error;
    });
    return await Promise.race([working, lost]);
  } finally {
    lost.catch(() => {});
    gpu.device.destroy();
  }
}

/** Opens a device on which engines run, for some work, and destroys it afterwards (`withGpu`). */
export function withDevice<Result>(
  terminal: Terminal,
  work: (device: EngineDevice) => Promise<Result>,
): Promise<Result> {
  return withGpu(terminal, (gpu) => work(new WgslDevice(gpu)));
}

async function open(terminal: Terminal): Promise<Gpu> {
  try {
    return await terminal.openGpu();
  } catch (error) {
    if (!(error instanceof NoWebGpuError)) throw error;
    throw new NoWebGpuError(`${error.message} \`npm test\` installs or names what is missing.`);
  }
}
