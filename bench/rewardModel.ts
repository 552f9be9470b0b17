import { median } from 'd3-array';
import { whole } from '../src/cli/framework/flags.ts';
import { nodeGpu, nodeShaderLibrary } from '../src/cli/framework/node.ts';
import { openWorld } from '../src/cli/framework/openWorld.ts';
import { loadStart } from '../src/cli/framework/policyFiles.ts';
import { type Gpu, openGpu } from '../src/gpu/device.ts';
import { openingRun } from '../src/training/data/worlds.ts';
import { Run } from '../src/training/run/run.ts';
import { runBenchmark } from './options.ts';

/** A run of repair that stays at its warm start, so that all runs sample the same programs. */
async function standing(gpu: Gpu, changes: Readonly<Record<string, string>>): Promise<Run> {
  const opening = openingRun('repair');
  const configuration = { ...opening, controls: { ...opening.controls, learningRate: 0, ...changes } };
  const opened = await openWorld(configuration);
  const run = await Run.create(gpu, configuration, undefined, opened);
  run.beginWith(loadStart(opened.world, undefined).state);
  return run;
}

async function milliseconds(run: Run): Promise<number> {
  const { metrics } = await run.update();
  return (await metrics).stepMs;
}

process.exit(
  await runBenchmark({
    name: 'bench:reward',
    description:
      'What a reward model costs an update of repair: two runs take turns and sample the same programs, which their tests pay ' +
      'in one and the model pays in the other. Medians, without the first update.',
    flags: {
      updates: whole('Updates of each run.', { min: 1, max: 1000, default: 20 }),
    },
    examples: ['--updates 20'],
    async run({ updates }) {
      const gpu = await openGpu(await nodeGpu(), nodeShaderLibrary());
      console.log(`adapter ${gpu.name}`);
      for (const rule of ['murphy-mers', 'grpo-mt']) {
        const byTests = await standing(gpu, { rule });
        const byModel = await standing(gpu, { rule, turnReward: 'model', outcomeReward: 'model' });
        const all: { tests: number; model: number }[] = [];
        for (let step = 0; step <= updates; step++) {
          all.push({ tests: await milliseconds(byTests), model: await milliseconds(byModel) });
        }
        const counted = all.slice(1);
        const [tests, model] = [median(counted, (one) => one.tests) ?? NaN, median(counted, (one) => one.model) ?? NaN];
        const more = ((100 * (model - tests)) / tests).toFixed(0);
        console.log(
          `${rule}: paid by tests ${tests.toFixed(0)} ms, by the model ${model.toFixed(0)} ms, ${more} % more`,
        );
        for (const run of [byTests, byModel]) run.destroy();
      }
      gpu.device.destroy();
      return 0;
    },
  }),
);
