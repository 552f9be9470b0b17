import { measureShown } from '../src/experiments/truth/measureShown.ts';
import { openGpu } from '../src/gpu/device.ts';
import { FRAMES, framePlace } from '../src/sandbox/host/framePlace.ts';
import { Sandbox } from '../src/sandbox/sandbox.ts';
import { loaded } from '../src/training/data/notLoaded.ts';
import type { Command, Message } from '../src/training/data/protocol.ts';
import { rewardModelName, warmStartName } from '../src/training/data/warmStartNames.ts';
import { Lanes } from '../src/training/worker/lanes.ts';

/** Entry point of the training worker: bundles shaders and checkpoints, hands everything else to the lanes of its runs. */
const shaders = import.meta.glob<string>('../shaders/**/*.wgsl', { query: '?raw', import: 'default', eager: true });
const checkpoints = import.meta.glob<string>('../src/environments/*/checkpoints/*.safetensors', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** Workers for Python: the GPU's own work and the page need the rest of the machine. */
const WORKERS = Math.min(4, Math.max(1, navigator.hardwareConcurrency - 2));

/** Where frames for Python come from: the page says so in its first message. */
let frames: ReturnType<typeof framePlace> | undefined;

/** Reward models that runs have made since the page was opened, by name: each is made once. */
const made = new Map<string, ArrayBuffer>();

/** A checkpoint that comes with the page; undefined where there is none of the name. @param what it is, for messages */
async function shipped(what: string, environment: string, name: string): Promise<ArrayBuffer | undefined> {
  const url = checkpoints[`../src/environments/${environment}/checkpoints/${name}.safetensors`];
  if (url === undefined) return undefined;
  const response = await loaded(what, fetch(url));
  if (!response.ok) throw new Error(`${what} could not be loaded: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

const lanes = new Lanes({
  openSandbox: () => {
    if (!frames) throw new Error('Python cannot run here: the page offers no frames for it');
    return new Sandbox(frames);
  },
  loadRuleLibrary: async () => (await loaded('what rules import', import('../python/turnwise/core.py?raw'))).default,
  openGpu: () =>
    openGpu(navigator.gpu, (name) => {
      const source = shaders[`../shaders/${name}.wgsl`];
      if (source === undefined) throw new Error(`there is no shader "${name}"`);
      return source;
    }),
  loadWarmStart: ({ environment, settings }) =>
    shipped('the starting policy', environment, warmStartName(environment, settings)),
  loadRewardModel: async ({ environment, settings }, reliability) => {
    const name = rewardModelName(environment, settings, reliability);
    return made.get(name) ?? (await shipped('the reward model', environment, name));
  },
  keepRewardModel: ({ environment, settings }, reliability, file) => {
    made.set(rewardModelName(environment, settings, reliability), file);
  },
  measureTruth: measureShown,
  post: (message: Message) => postMessage(message),
  now: () => performance.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
});

addEventListener('message', ({ data, ports }: MessageEvent<Command | typeof FRAMES>) => {
  if (data !== FRAMES) lanes.receive(data);
  else if (ports[0]) frames = framePlace(ports[0], WORKERS);
});
