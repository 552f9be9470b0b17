import { median } from 'd3-array';
import { REPEATABLE_ENGINE } from '../src/cli/framework/device.ts';
import { integerFlag } from '../src/cli/framework/flags.ts';
import { loadStart } from '../src/cli/framework/policyFiles.ts';
import { openWorld } from '../src/cli/framework/worldRuns.ts';
import type { EngineDevice } from '../src/engine/engine.ts';
import { RELIABLE } from '../src/environments/environment.ts';
import { turnTokens } from '../src/training/collect/batch.ts';
import { openingRun } from '../src/training/data/worlds.ts';
import { RewardModel } from '../src/training/rewardModel/rewardModel.ts';
import { finished, readRewardModel } from '../src/training/rewardModel/rewardModelFile.ts';
import { Run } from '../src/training/run/run.ts';
import { benchmarkDevice } from './device.ts';
import { runBenchmark } from './options.ts';

/** Environments with a reward model, and the rules under which the model is timed. */
const CASES = [
  ['repair', 'murphy-mers'],
  ['repair', 'grpo-mt'],
  ['search', 'mt-grpo'],
] as const;

/** Measures updates under a rule, and the evaluation of their turns by the reward model [ms]. */
async function times(device: EngineDevice, [name, rule]: (typeof CASES)[number], updates: number) {
  const opening = openingRun(name);
  const configuration = { ...opening, controls: { ...opening.controls, rule } };
  const opened = await openWorld(configuration);
  const run = await Run.create(device, configuration, undefined, opened);
  run.beginWith(loadStart(opened.world, undefined).state);
  const { engine, environment } = run.trainer;
  const { learnedReward } = environment;
  if (!learnedReward) throw new Error('no reward model is used here');
  const file = await opened.loadRewardModel(RELIABLE);
  if (!file) throw new Error('there is no reward model here');
  const model = new RewardModel(engine, finished(readRewardModel(engine.config, file)));
  const all: { update: number; modelMs: number }[] = [];
  for (let step = 0; step <= updates; step++) {
    const { batch, metrics } = await run.update();
    const { stepMs } = await metrics;
    const turns = batch.rollouts.flatMap((rollout) =>
      rollout.turns.map((testResult, turn) =>
        learnedReward.reads({ task: batch.tasks[rollout.group], ...turnTokens(rollout, turn), stepResult: testResult }),
      ),
    );
    const start = performance.now();
    await model.rewards(turns);
    all.push({ update: stepMs, modelMs: performance.now() - start });
  }
  model.destroy();
  run.destroy();
  return all.slice(1);
}

process.exit(
  await runBenchmark({
    name: 'bench:reward',
    description:
      'Cost per update of a reward model that rewards turns: one more forward pass over the distinct turns. ' +
      'Medians, without the first update.',
    flags: {
      engine: REPEATABLE_ENGINE,
      updates: integerFlag('Updates under each rule.', { min: 1, max: 1000, default: 20 }),
    },
    examples: ['--updates 20'],
    async run({ engine, updates }) {
      const device = await benchmarkDevice(engine);
      console.log(`device ${device.name}`);
      for (const testCase of CASES) {
        const all = await times(device, testCase, updates);
        const [update, modelMs] = [
          median(all, (measurement) => measurement.update) ?? NaN,
          median(all, (measurement) => measurement.modelMs) ?? NaN,
        ];
        const share = ((100 * modelMs) / update).toFixed(0);
        console.log(
          `${testCase.join(' ')}: update ${update.toFixed(0)} ms, the model ${modelMs.toFixed(0)} ms, ${share} %`,
        );
      }
      device.destroy();
      return 0;
    },
  }),
);
