import { WgslDevice } from '../src/engine/wgsl/wgslDevice.ts';
import { measureShown } from '../src/experiments/truth/measureShown.ts';
import { openGpu } from '../src/gpu/device.ts';
import { loaded } from '../src/training/data/notLoaded.ts';
import { serveLanes } from '../src/training/worker/serveLanes.ts';

/** Entry point of the training worker: bundles the shaders; `serveLanes` does everything else. */
const shaders = import.meta.glob<string>('../shaders/**/*.wgsl', { query: '?raw', import: 'default', eager: true });

serveLanes({
  openDevice: async () => {
    const gpu = await openGpu(navigator.gpu, (name) => {
      const source = shaders[`../shaders/${name}.wgsl`];
      if (source === undefined) throw new Error(`there is no shader "${name}"`);
      return source;
    });
    return new WgslDevice(gpu);
  },
  loadRuleLibrary: async () => (await loaded('what rules import', import('../python/turnwise/core.py?raw'))).default,
  measureTruth: measureShown,
});
