import { median } from 'd3-array';
import { REPEATABLE_ENGINE } from '../src/cli/framework/device.ts';
import { integerFlag } from '../src/cli/framework/flags.ts';
import { loadStart } from '../src/cli/framework/policyFiles.ts';
import { openWorld } from '../src/cli/framework/worldRuns.ts';
import { findRule } from '../src/credit/rules.ts';
import type { EngineDevice } from '../src/engine/engine.ts';
import { ENVIRONMENT_LIST, type RegisteredEnvironment } from '../src/environments/registry.ts';
import { openingRun } from '../src/training/data/worlds.ts';
import { Run } from '../src/training/run/run.ts';
import { ExactCredit } from '../src/training/update/planUpdate.ts';
import { rewardedTurns } from '../src/training/update/updateMetrics.ts';
import { benchmarkDevice } from './device.ts';
import { runBenchmark } from './options.ts';

/** Times of an update, and of the computation that reports the rewards of its turns [ms]. */
interface Times {
  readonly update: number;
  readonly notifyMs: number;
}

/** Measures updates of the opening run of an environment under a rule. */
async function times(
  device: EngineDevice,
  environment: RegisteredEnvironment,
  rule: string,
  updates: number,
): Promise<Times[]> {
  const opening = openingRun(environment.name);
  const configuration = { ...opening, controls: { ...opening.controls, rule } };
  const opened = await openWorld(configuration);
  const run = await Run.create(device, configuration, undefined, opened);
  run.beginWith(loadStart(opened.world, undefined).state);
  const all: Times[] = [];
  for (let step = 0; step < updates + 1; step++) {
    const { batch, controls, metrics, credit } = await run.update();
    const { stepMs } = await metrics;
    const { turns } = await credit;
    const exact = new ExactCredit(batch, controls, run.trainer.environment.maxTurns);
    const definition = findRule(rule);
    // If the rule prunes turns, an update has computed these values before the report.
    if (definition.retained) for (const group of batch.groups.keys()) exact.of(group, definition);
    const start = performance.now();
    rewardedTurns(batch, controls, environment, turns, exact);
    all.push({ update: stepMs, notifyMs: performance.now() - start });
  }
  run.destroy();
  opened.close();
  return all.slice(1);
}

process.exit(
  await runBenchmark({
    name: 'bench:messages',
    description:
      'Cost per update of the report on turns and their credit, under the active rule and under the rule that it is compared ' +
      'with: in every environment that reports turns, under the rules of its switch. Medians, without the first update.',
    flags: {
      engine: REPEATABLE_ENGINE,
      updates: integerFlag('Updates under each rule.', { min: 1, max: 1000, default: 20 }),
    },
    examples: ['--updates 20'],
    async run({ engine, updates }) {
      const device = await benchmarkDevice(engine);
      console.log(`device ${device.name}`);
      for (const environment of ENVIRONMENT_LIST.filter(({ watchedTurns }) => watchedTurns)) {
        for (const rule of environment.pinned) {
          const all = await times(device, environment, rule, updates);
          const [update, notifyMs] = [
            median(all, (measurement) => measurement.update) ?? NaN,
            median(all, (measurement) => measurement.notifyMs) ?? NaN,
          ];
          const share = ((100 * notifyMs) / update).toFixed(2);
          console.log(
            `${environment.name} ${rule}: update ${update.toFixed(0)} ms, report ${notifyMs.toFixed(2)} ms, ${share} %`,
          );
        }
      }
      device.destroy();
      return 0;
    },
  }),
);
