import exactModule from 'virtual:exact.wasm?url';
import { isExact } from '../src/engine/engineName.ts';
import { ExactDevice } from '../src/engine/exact/exactDevice.ts';
import { NoWebGpuError } from '../src/engine/shared.ts';
import { WgslDevice } from '../src/engine/wgsl/wgslEngine.ts';
import { measureDisplayedGroup } from '../src/experiments/truth/measureSelected.ts';
import { isSoftware, openAdapter, openGpu } from '../src/gpu/device.ts';
import { loaded } from '../src/training/run/openEnvironment.ts';
import { serveLanes } from '../src/training/worker/serveLanes.ts';

/** Entry point of the training worker. It bundles the shaders and the kernels, and `serveLanes` serves the runs. */
const shaders = import.meta.glob<string>('../shaders/**/*.wgsl', { query: '?raw', import: 'default', eager: true });

/** Time after which the processor replaces an adapter that does not respond [ms]. */
const TIMEOUT_MS = 1000;

serveLanes({
  openDevice: (engine) => (engine === undefined ? best() : isExact(engine) ? exact() : wgsl(adapter())),
  loadRuleLibrary: async () =>
    (await loaded('the Python library of credit rules', import('../python/turnwise_rl/core.py?raw'))).default,
  measureTruth: measureDisplayedGroup,
});

function adapter(): Promise<GPUAdapter> {
  return openAdapter(navigator.gpu);
}

/** Opens WebGPU on a hardware adapter, otherwise the processor. */
async function best() {
  const opening = adapter();
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, TIMEOUT_MS));
  try {
    const answer = await Promise.race([opening, late]);
    if (answer && !isSoftware(answer)) return await wgsl(opening);
  } catch (error) {
    if (!(error instanceof NoWebGpuError)) throw error;
  }
  return exact();
}

async function wgsl(opening: Promise<GPUAdapter>): Promise<WgslDevice> {
  const gpu = await openGpu(await opening, (name) => {
    const source = shaders[`../shaders/${name}.wgsl`];
    if (source === undefined) throw new Error(`shader "${name}" not found`);
    return source;
  });
  return new WgslDevice(gpu);
}

async function exact(): Promise<ExactDevice> {
  const response = await loaded('the kernels of the exact engine', fetch(exactModule));
  if (!response.ok) throw new Error(`the kernels of the exact engine could not be loaded: ${response.status}`);
  return ExactDevice.open(await response.arrayBuffer());
}
