import { createFrameSource, FRAMES } from '@turnwise/python-sandbox/host/frameHost';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import type { Command, Message } from '../data/protocol.ts';
import { rewardModelName, warmStartName } from '../data/worlds.ts';
import { loaded } from '../run/openEnvironment.ts';
import type { RunFactory } from '../run/openRun.ts';
import { Lanes } from './lanes.ts';
import type { SessionHost } from './measuring.ts';

const checkpoints = import.meta.glob<string>('../../environments/*/checkpoints/*.safetensors', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** Maximum number of Python workers. The GPU process and the page need the other processors. */
const WORKERS = Math.min(4, Math.max(1, navigator.hardwareConcurrency - 2));

/**
 * Serves the training protocol in a worker of the page. Loads shipped checkpoints, opens sandboxes in frames of the
 * page, and passes each command to the lane of its run.
 * @param host opens devices, measures true advantages, and loads the library of rules in Python
 * @param runs creates the runs; tests pass scripted ones
 */
export function serveLanes(
  host: Pick<SessionHost, 'openDevice' | 'measureTruth' | 'loadRuleLibrary'>,
  runs?: RunFactory,
): void {
  /** Source of frames for Python, from the first message of the page. */
  let frames: ReturnType<typeof createFrameSource> | undefined;
  const lanes = new Lanes(
    {
      ...host,
      openSandbox: () => {
        if (!frames) throw new Error('Python cannot run here: the page offers no frames for it');
        return new Sandbox(frames);
      },
      loadWarmStart: ({ environment, settings }) =>
        shipped('the starting policy', environment, warmStartName(environment, settings)),
      loadRewardModel: ({ environment, settings }, reliability) =>
        shipped('the reward model', environment, rewardModelName(environment, settings, reliability)),
      post: (message: Message) => postMessage(message),
      now: () => performance.now(),
      sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    },
    runs,
  );
  addEventListener('message', ({ data, ports }: MessageEvent<Command | typeof FRAMES>) => {
    if (data !== FRAMES) lanes.receive(data);
    else if (ports[0]) frames = createFrameSource(ports[0], WORKERS);
  });
}

/**
 * Loads a checkpoint that is shipped with the page.
 * @param label name of the file in error messages
 * @returns undefined if no checkpoint of this name is shipped
 */
async function shipped(label: string, environment: string, name: string): Promise<ArrayBuffer | undefined> {
  const url = checkpoints[`../../environments/${environment}/checkpoints/${name}.safetensors`];
  if (url === undefined) return undefined;
  const response = await loaded(label, fetch(url));
  if (!response.ok) throw new Error(`${label} could not be loaded: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}
