import { openGpu } from '../src/gpu/device.ts';
import type { Command, Message } from '../src/training/protocol.ts';
import { TrainingSession } from '../src/training/session.ts';
import { warmStartName } from '../src/training/warmStarts.ts';

/** Entry point of the training worker: bundles shaders and warm starts, hands everything else to the session. */
const shaders = import.meta.glob<string>('../shaders/**/*.wgsl', { query: '?raw', import: 'default', eager: true });
const warmStarts = import.meta.glob<string>('../src/environments/*/checkpoints/*.safetensors', {
  query: '?url',
  import: 'default',
  eager: true,
});

const session = new TrainingSession({
  openGpu: () =>
    openGpu(navigator.gpu, (name) => {
      const source = shaders[`../shaders/${name}.wgsl`];
      if (source === undefined) throw new Error(`there is no shader "${name}"`);
      return source;
    }),
  loadWarmStart: async ({ environment, settings }) => {
    const url =
      warmStarts[`../src/environments/${environment}/checkpoints/${warmStartName(environment, settings)}.safetensors`];
    if (url === undefined) return undefined;
    const response = await fetch(url);
    if (!response.ok) throw new Error(`the warm start could not be loaded: ${response.status} ${response.statusText}`);
    return response.arrayBuffer();
  },
  post: (message: Message) => postMessage(message),
  now: () => performance.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
});

addEventListener('message', (event: MessageEvent<Command>) => session.receive(event.data));
