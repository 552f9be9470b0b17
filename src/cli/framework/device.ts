import type { EngineDevice } from '../../engine/engine.ts';
import { WgslDevice } from '../../engine/wgsl/wgslEngine.ts';
import { type Gpu, NoWebGpuError } from '../../gpu/device.ts';
import { type EngineName, isExact, WGSL } from '../../training/data/configuration.ts';
import { choice, type Flag, optional } from './flags.ts';
import { nodeExactDevice } from './node.ts';
import type { Terminal } from './terminal.ts';

/**
 * Delay before a failed command is reported [ms]. A lost device first makes a command fail; its own message follows
 * within this time.
 */
const GRACE = 200;

/** Values of `--engine`. */
export type EngineChoice = 'exact' | 'wgsl';

const EXPLAINED =
  'Engine. exact: WebAssembly on the processor, with the same numbers on every machine; wgsl: WebGPU on a graphics card.';

/** Advice for a machine without an adapter. */
const INSTALL =
  'On Linux, install the Vulkan driver of the graphics card. Without a card, install Mesa lavapipe: on Debian and Ubuntu the ' +
  'packages mesa-vulkan-drivers and libvulkan1.';

/** Flag `--engine exact|wgsl` of commands that inspect a policy. Their numbers are compared on one machine only. */
export const ENGINE: Flag<EngineChoice | undefined> = optional(
  choice(`${EXPLAINED} Default: wgsl with a graphics card, else exact.`, ['exact', 'wgsl'], 'exact'),
);

/** Flag `--engine exact|wgsl` of commands whose results must be repeatable on other machines. */
export const REPEATABLE_ENGINE: Flag<EngineChoice> = choice(EXPLAINED, ['exact', 'wgsl'], 'exact');

/**
 * Opens a WebGPU device for some work and destroys it afterwards.
 * @throws {NoWebGpuError} without an adapter, with the packages to install
 * @throws {Error} if the device is lost, at any time during the work
 */
export async function withGpu<Result>(terminal: Terminal, work: (gpu: Gpu) => Promise<Result>): Promise<Result> {
  const gpu = await openWgsl(terminal, '--device cpu');
  return using(new WgslDevice(gpu), () => work(gpu));
}

/**
 * Opens a device on which engines run, for some work, and destroys it afterwards.
 * @param engine if absent, WebGPU on a graphics card, else the processor
 * @throws {NoWebGpuError} if WebGPU is requested and missing, with the packages to install
 * @throws {Error} if the device is lost, at any time during the work
 */
export async function withDevice<Result>(
  terminal: Terminal,
  engine: EngineChoice | EngineName | undefined,
  work: (device: EngineDevice) => Promise<Result>,
): Promise<Result> {
  const device = await openDevice(terminal, engine);
  return using(device, () => work(device));
}

async function openDevice(terminal: Terminal, engine: EngineChoice | EngineName | undefined): Promise<EngineDevice> {
  if (engine === WGSL) return new WgslDevice(await openWgsl(terminal, '--engine exact'));
  if (engine !== undefined && isExact(engine as EngineName)) return nodeExactDevice();
  return (await cardOf(terminal)) ?? nodeExactDevice();
}

/** Opens the graphics card of this machine. Returns undefined if the machine has no card. */
async function cardOf(terminal: Terminal): Promise<EngineDevice | undefined> {
  try {
    return new WgslDevice(await terminal.openGpu('card'));
  } catch (error) {
    if (!(error instanceof NoWebGpuError)) throw error;
    return undefined;
  }
}

async function using<Result>(device: EngineDevice, work: () => Promise<Result>): Promise<Result> {
  const lost = device.lost.then((reason): never => {
    throw new Error(`the GPU device was lost (${reason})`);
  });
  const grace = () => new Promise<void>((resolve) => setTimeout(resolve, GRACE));
  try {
    const working = work().catch(async (error: unknown) => {
      if (device.engine === WGSL) await Promise.race([lost, grace()]);
      throw error;
    });
    return await Promise.race([working, lost]);
  } finally {
    lost.catch(() => {});
    device.destroy();
  }
}

/**
 * Opens a WebGPU device.
 * @param instead flag of the command that needs no adapter, for the message
 */
async function openWgsl(terminal: Terminal, instead: string): Promise<Gpu> {
  try {
    return await terminal.openGpu();
  } catch (error) {
    if (!(error instanceof NoWebGpuError)) throw error;
    throw new NoWebGpuError(`${error.message} ${INSTALL} ${instead} needs no adapter.`);
  }
}
