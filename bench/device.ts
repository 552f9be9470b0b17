import type { EngineChoice } from '../src/cli/framework/device.ts';
import { nodeExactDevice, openNodeGpu } from '../src/cli/framework/node.ts';
import type { EngineDevice } from '../src/engine/engine.ts';
import { WgslDevice } from '../src/engine/wgsl/wgslEngine.ts';

/** Opens the device of `--engine`. @throws {NoWebGpuError} if WebGPU is requested and there is no adapter */
export async function benchmarkDevice(engine: EngineChoice): Promise<EngineDevice> {
  return engine === 'exact' ? nodeExactDevice() : new WgslDevice(await openNodeGpu());
}
