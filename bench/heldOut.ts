import { REPEATABLE_ENGINE } from '../src/cli/framework/device.ts';
import { integerFlag } from '../src/cli/framework/flags.ts';
import { loadStart } from '../src/cli/framework/policyFiles.ts';
import { openWorld } from '../src/cli/framework/worldRuns.ts';
import type { EngineDevice } from '../src/engine/engine.ts';
import { openingRun } from '../src/training/data/worlds.ts';
import { Run } from '../src/training/run/run.ts';
import { benchmarkDevice } from './device.ts';
import { clocked, pairedTimes } from './measure.ts';
import { runBenchmark } from './options.ts';

/** Updates between two measurements on held-out tasks, as in the opening run of the page. */
const EVERY = 5;

/** Creates the opening run of the page, with or without measurements on held-out tasks. */
async function openRun(device: EngineDevice, heldOutMode: 'on' | 'off'): Promise<Run> {
  const opening = openingRun('search');
  const controls = { ...opening.controls, heldOutMode, heldOutEvery: EVERY };
  const configuration = { ...opening, controls };
  const opened = await openWorld(configuration);
  const run = await Run.create(device, configuration, undefined, opened);
  run.beginWith(loadStart(opened.world, undefined).state);
  return run;
}

/** Runs the updates between two measurements sequentially. With `heldOutMode` on, they include one measurement. */
async function updates(run: Run): Promise<void> {
  for (let update = 0; update < EVERY; update++) await (await run.update()).metrics;
}

process.exit(
  await runBenchmark({
    name: 'bench:measuring',
    description:
      'Cost of measuring the policy on 64 new questions every 5 updates: the opening run of the page with and without the ' +
      'measurement, alternately.',
    flags: {
      engine: REPEATABLE_ENGINE,
      rounds: integerFlag('Rounds; each has three times five updates of either run.', { min: 1, max: 100, default: 7 }),
    },
    examples: ['--rounds 7'],
    async run({ engine, rounds }) {
      const device = await benchmarkDevice(engine);
      const [measured, plain] = [await openRun(device, 'on'), await openRun(device, 'off')];
      try {
        const { ours, theirs, ratio } = await pairedTimes(
          rounds,
          () => clocked(() => updates(measured)),
          () => clocked(() => updates(plain)),
        );
        console.log(`device                              ${device.name}`);
        console.log(`five updates, measured once         ${ours.toFixed(0)} ms`);
        console.log(`five updates, not measured          ${theirs.toFixed(0)} ms`);
        console.log(`added by measuring (median)         ${(100 * (1 / ratio - 1)).toFixed(1)} %`);
      } finally {
        measured.destroy();
        plain.destroy();
        device.destroy();
      }
      return 0;
    },
  }),
);
