import { readFileSync } from 'node:fs';
import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import { REPEATABLE_ENGINE } from '../src/cli/framework/device.ts';
import { integerFlag } from '../src/cli/framework/flags.ts';
import { nodeRuleLibrary } from '../src/cli/framework/node.ts';
import { loadStart } from '../src/cli/framework/policyFiles.ts';
import { openWorld } from '../src/cli/framework/worldRuns.ts';
import { encodeCustomRule } from '../src/credit/rules/custom/customRule.ts';
import { findRule } from '../src/credit/rules.ts';
import { CustomRules } from '../src/customRules/customRules.ts';
import type { EngineDevice } from '../src/engine/engine.ts';
import type { Group } from '../src/rollouts/forest.ts';
import type { EnvironmentName } from '../src/training/data/configuration.ts';
import { tablesOf } from '../src/training/data/configurationTables.ts';
import { openingRun } from '../src/training/data/worlds.ts';
import { Run } from '../src/training/run/run.ts';
import { benchmarkDevice } from './device.ts';
import { runBenchmark } from './options.ts';

const ENVIRONMENTS: readonly EnvironmentName[] = ['search', 'repair', 'repo'];

/** Elapsed time, and processor time of all cores [ms]. */
interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

const now = () => ({ wall: performance.now(), cpu: process.cpuUsage() });

function since({ wall, cpu }: ReturnType<typeof now>): Cost {
  const { user, system } = process.cpuUsage(cpu);
  return { wall: performance.now() - wall, cpu: (user + system) / 1000 };
}

/** Returns the minimum of each time, because other work on the machine only increases it. */
function best(costs: readonly Cost[]): Cost {
  return { wall: Math.min(...costs.map(({ wall }) => wall)), cpu: Math.min(...costs.map(({ cpu }) => cpu)) };
}

/** Trains the opening run of the page under a rule. Returns the last batch and the minimum time of an update. */
async function runUpdates(device: EngineDevice, environment: EnvironmentName, rule: string, updates: number) {
  const standard = openingRun(environment);
  const configuration = { ...standard, controls: { ...standard.controls, rule, heldOutMode: 'off' } };
  const opened = await openWorld(configuration);
  const run = await Run.create(device, configuration, undefined, opened);
  try {
    run.beginWith(loadStart(opened.world, undefined).state);
    const times: Cost[] = [];
    let groups: readonly Group[] = [];
    for (let update = 0; update <= updates; update++) {
      const begin = now();
      const { batch, metrics } = await run.update();
      await metrics;
      // The first update compiles kernels and starts a sandbox.
      if (update > 0) times.push(since(begin));
      groups = batch.groups;
    }
    return { groups, update: best(times) };
  } finally {
    run.destroy();
  }
}

/**
 * Returns the minimum time of one call of the sandbox for a batch [ms]. As in a run, the first groups are computed
 * twice.
 */
async function timed(rules: CustomRules, rule: string, groups: readonly Group[], rounds: number): Promise<Cost> {
  const path = new URL(`../python/turnwise_rl/rules/${rule.replaceAll('-', '_')}.py`, import.meta.url);
  const name = encodeCustomRule({ file: `${rule}.py`, values: {}, source: readFileSync(path, 'utf8') });
  const times: Cost[] = [];
  for (let round = 0; round < rounds; round++) {
    // New objects, because results are cached per group object.
    const fresh = groups.map((group) => ({ ...group }));
    const begin = now();
    await rules.work(name, fresh, 'turn');
    times.push(since(begin));
  }
  return best(times);
}

process.exit(
  await runBenchmark({
    name: 'bench:custom-rules',
    description:
      'Cost of a credit rule in Python for a run: every rule of the package, in the sandbox, on a batch of the opening run of ' +
      'search, repair and repo, as a share of an update on this device.',
    flags: {
      engine: REPEATABLE_ENGINE,
      updates: integerFlag('Updates of each run that are timed.', { min: 1, max: 100, default: 5 }),
      rounds: integerFlag('Calls of each rule.', { min: 1, max: 100, default: 9 }),
    },
    examples: ['--updates 5 --rounds 9'],
    async run({ engine, updates, rounds }) {
      const device = await benchmarkDevice(engine);
      const sandbox = new Sandbox(createNodeSource(), { workers: 1, spare: false });
      const rules = new CustomRules({ sandbox: () => sandbox, library: nodeRuleLibrary });
      console.log(`device   ${device.name}`);
      try {
        await sandbox.ready();
        for (const environment of ENVIRONMENTS) {
          const offered = tablesOf(environment).rule.options.filter((name) => findRule(name).unit === 'turn');
          const batches = new Map<string, Awaited<ReturnType<typeof runUpdates>>>();
          for (const rule of offered) {
            const { input, reads } = findRule(rule);
            // Rules with the same kind of rollouts share a run. Rules that need probabilities or continuations of the
            // policy have separate runs.
            const kind = [
              input,
              ...reads.filter((field) => field === 'answerLogProb' || field === 'stateValue'),
            ].join();
            const batch = batches.get(kind) ?? (await runUpdates(device, environment, rule, updates));
            batches.set(kind, batch);
            const turns = batch.groups.reduce((sum, group) => sum + group.turns.length, 0);
            const ruleCost = await timed(rules, rule, batch.groups, rounds);
            const describeCost = (part: keyof Cost) =>
              `${ruleCost[part].toFixed(1)} of ${batch.update[part].toFixed(0)} ms (${((100 * ruleCost[part]) / batch.update[part]).toFixed(1)} %)`;
            console.log(
              `${environment.padEnd(8)} ${rule.padEnd(12)} ${batch.groups.length} groups, ${turns} turns: clock ${describeCost('wall')}, ` +
                `CPU ${describeCost('cpu')}`,
            );
          }
        }
      } finally {
        sandbox.close();
        device.destroy();
      }
      return 0;
    },
  }),
);
