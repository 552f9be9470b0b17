import { expect, test } from 'vitest';
import type { RunConfiguration } from '../../../src/training/data/configuration.ts';
import type { Message, Metrics } from '../../../src/training/data/protocol.ts';
import { Lanes } from '../../../src/training/worker/lanes.ts';
import { timeless } from '../../timeless.ts';
import { configuration, openLosableDevice, Page, warmStartFile } from './sessionPage.ts';

const STEPS = 4;
const under = (rule: string, seed: number): RunConfiguration => ({
  ...configuration,
  seed,
  controls: { ...configuration.controls, rule, criticUpdates: 0 },
});

/** Trains runs in parallel on one device. Returns the metrics of the first STEPS updates of each run. */
async function together(runs: readonly RunConfiguration[]): Promise<readonly (readonly Metrics[])[]> {
  const metrics = runs.map((): Metrics[] => []);
  let devices = 0;
  let lanes: Lanes | undefined;
  await new Promise<void>((done, fail) => {
    const receive = (message: Message) => {
      const { lane = 0 } = message;
      if (message.type === 'problem') fail(new Error(message.problem.message));
      if (message.type === 'metrics') metrics[lane]?.push(message.metrics);
      if (metrics.every(({ length }) => length >= STEPS)) done();
    };
    const opened = new Lanes({
      openDevice: () => {
        devices += 1;
        return openLosableDevice();
      },
      loadWarmStart: async ({ settings }) => warmStartFile(settings),
      post: (message) => receive(structuredClone(message)),
      now: () => performance.now(),
      sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    });
    lanes = opened;
    for (const [lane, run] of runs.entries()) {
      opened.receive({ type: 'start', configuration: run, play: true, ...(lane === 0 ? {} : { lane }) });
    }
  });
  for (const lane of runs.keys()) lanes?.receive({ type: 'leave', lane });
  expect(devices).toBe(1);
  return metrics.map((rows) => rows.slice(0, STEPS));
}

test('runs that share a device have the metrics of separate runs, bit for bit', async () => {
  const runs = [under('mt-grpo', 1), under('grpo-or', 1), under('mt-ppo', 2)];
  const results = await together(runs);
  for (const [index, run] of runs.entries()) {
    const single = new Page();
    single.start(false, run);
    await single.paused();
    await single.steps(STEPS);
    expect(results[index]?.map(timeless), String(run.controls.rule)).toEqual(single.metrics.map(timeless));
  }
});
