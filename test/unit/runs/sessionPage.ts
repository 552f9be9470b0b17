import { readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { nodeExactDevice } from '../../../src/cli/framework/node.ts';
import type { EngineDevice } from '../../../src/engine/engine.ts';

import type { RunConfiguration } from '../../../src/training/data/configuration.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import type { Command, Message, Metrics, SavedRun } from '../../../src/training/data/protocol.ts';
import { warmStartName } from '../../../src/training/data/worlds.ts';
import { RUNS } from '../../../src/training/run/openRun.ts';
import { Lanes } from '../../../src/training/worker/lanes.ts';
import type { SessionHost } from '../../../src/training/worker/measuring.ts';
import { timeless } from '../../timeless.ts';
import { LosableDevice } from './losableDevice.ts';

/** Configuration with two questions of four rollouts. */
export const configuration: RunConfiguration = {
  ...defaultConfiguration(),
  controls: { ...defaultConfiguration().controls, questions: 2, groupSize: 4 },
};

/** Opens a device that a test can lose. */
export async function openLosableDevice(): Promise<LosableDevice> {
  return new LosableDevice(await nodeExactDevice());
}

export function warmStartFile(settings = configuration.settings): ArrayBuffer {
  const name = `${warmStartName('search', settings)}.safetensors`;
  const file = readFileSync(new URL(`../../../src/environments/search/checkpoints/${name}`, import.meta.url));
  return file.buffer.slice(file.byteOffset, file.byteOffset + file.length) as ArrayBuffer;
}

/** Session that trains on the exact engine until the end of its test, and all messages that it sent. */
export class Page {
  readonly messages: Message[] = [];
  private readonly session: Lanes;
  private waiting: (() => void)[] = [];
  /** Most recently opened device. Undefined before the first one. */
  private device: EngineDevice | undefined;

  constructor({ openDevice = openLosableDevice, ...host }: Partial<SessionHost> = {}, runs = RUNS) {
    const parts: SessionHost = {
      openDevice: async (engine) => {
        this.device = await openDevice(engine);
        return this.device;
      },
      loadWarmStart: async ({ settings }) => warmStartFile(settings),
      post: (message) => {
        this.messages.push(structuredClone(message));
        for (const wake of this.waiting.splice(0)) wake();
      },
      now: () => performance.now(),
      sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      ...host,
    };
    this.session = new Lanes(parts, runs);
    onTestFinished(() => this.session.receive({ type: 'leave' }));
  }

  send(command: Command): void {
    this.session.receive(command);
  }

  start(play = false, changed: Partial<RunConfiguration> = {}, saved?: SavedRun): void {
    this.send({ type: 'start', configuration: { ...configuration, ...changed }, play, ...(saved ? { saved } : {}) });
  }

  /** Loses the device, like a reset of the driver. */
  loseDevice(): void {
    if (!this.device) throw new Error('there is no device to lose');
    this.device.destroy();
  }

  /** Makes all activations of the policy NaN, and with them the loss and the gradient. */
  poison(): void {
    if (!(this.device instanceof LosableDevice)) throw new Error('there is no policy to poison');
    this.device.poison();
  }

  /** Prevents further growth of the memory of the policy. */
  limitMemory(): void {
    if (!(this.device instanceof LosableDevice)) throw new Error('there is no memory to limit');
    this.device.limitMemory();
  }

  /** Waits for a message that fits, and ignores the messages before index `from`. */
  async waitFor<Type extends Message['type']>(
    type: Type,
    fits: (message: Extract<Message, { type: Type }>) => boolean = () => true,
    from = 0,
  ): Promise<Extract<Message, { type: Type }>> {
    for (;;) {
      const match = this.messages
        .slice(from)
        .find((message) => message.type === type && fits(message as Extract<Message, { type: Type }>));
      if (match) return match as Extract<Message, { type: Type }>;
      await new Promise<void>((wake) => this.waiting.push(wake));
    }
  }

  /** Waits for two checkpoints in sequence, so that the messages of a concurrent update arrive before the second. */
  async answered(): Promise<void> {
    for (let i = 0; i < 2; i++) {
      const from = this.messages.length;
      this.send({ type: 'save' });
      await this.waitFor('checkpoint', undefined, from);
    }
  }

  paused(from = 0) {
    return this.waitFor('status', ({ status }) => status === 'paused', from);
  }

  async steps(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const from = this.messages.length;
      this.send({ type: 'step' });
      await this.paused(from);
    }
  }

  get metrics(): Metrics[] {
    return this.messages.flatMap((message) => (message.type === 'metrics' ? [message.metrics] : []));
  }
}

/** Expects that a run that loses its device after two updates has the curve of an undisturbed run. */
export async function expectSameCurveAfterLoss(rule: string): Promise<void> {
  const controls = { ...configuration.controls, rule, criticUpdates: 1 };
  const calm = new Page();
  calm.start(false, { controls });
  await calm.paused();
  await calm.steps(3);

  const page = new Page();
  page.start(false, { controls });
  await page.paused();
  await page.steps(2);
  const from = page.messages.length;
  page.loseDevice();
  const { problem } = await page.waitFor('problem');
  expect(problem).toMatchObject({ kind: 'device-lost', recovery: 'automatic' });
  await page.waitFor('event', ({ event }) => event.kind === 'recovered', from);
  await page.steps(1);
  expect(page.metrics.map(timeless)).toEqual(calm.metrics.map(timeless));
}
