import { writeFileSync } from 'node:fs';
import { UsageError } from '../src/cli/framework/errors.ts';
import { choice, type Flag, integerFlag, text, toggle } from '../src/cli/framework/flags.ts';
import { nodeGpu, nodeShaderLibrary, openNodeGpu } from '../src/cli/framework/node.ts';
import { WgslDevice } from '../src/engine/wgsl/wgslEngine.ts';
import { openAdapter, openGpu } from '../src/gpu/device.ts';
import { ENVIRONMENT_NAMES, type EnvironmentName } from '../src/training/data/configuration.ts';
import { tablesOf } from '../src/training/data/configurationTables.ts';
import { updatesAgainst } from './against.ts';
import { creditCost } from './creditCost.ts';
import { AGREEMENT, compareWithJax, disagreementOf } from './jax.ts';
import { countGpu } from './measure.ts';
import { runBenchmark } from './options.ts';
import { measurePhases } from './phases.ts';
import { type KernelTime, medianTimes, preciseGpu, profile, withTimestamps } from './profile.ts';
import { againstLine, type BenchmarkReport, describe, phaseTable } from './report.ts';
import {
  generationTime,
  gpuOf,
  measureUpdates,
  type Opened,
  openTrainer,
  trainingStep,
  workloadOf,
} from './turnwise.ts';

/** Profiles the kernels of an update, which is repeated from one state with the same rollouts and dispatches. */
async function profileUpdate({ trainer }: Opened, repeats: number): Promise<KernelTime[]> {
  const { engine, step } = trainer;
  const state = await engine.readState();
  const phaseOf = (kernels: ReadonlySet<string>) => (kernels.has('policy/sample') ? 'generation' : 'training');
  const runs: KernelTime[][] = [];
  for (let i = 0; i < repeats; i++) {
    trainer.load(state, step);
    runs.push(await profile(gpuOf(trainer).device, phaseOf, async () => (await trainer.update()).metrics));
  }
  return medianTimes(runs);
}

interface Options {
  readonly quick: boolean;
  readonly profile: boolean;
  readonly environment: EnvironmentName;
  readonly programs: number | undefined;
  readonly updates: number;
  readonly rule: string | undefined;
  readonly against: string | undefined;
  readonly json: string | undefined;
}

/** Rules that at least one environment offers. */
const RULES = [...new Set(ENVIRONMENT_NAMES.flatMap((name) => tablesOf(name).rule.options))];

async function main(options: Options): Promise<number> {
  const { environment, rule, against, programs } = options;
  const { options: offered } = tablesOf(environment).rule;
  for (const [flag, name] of Object.entries({ rule, against })) {
    if (name !== undefined && !offered.includes(name)) {
      throw new UsageError(`--${flag}: "${name}" is none of ${environment}'s: ${offered.join(', ')}`);
    }
  }
  if (environment === 'search' && programs !== undefined) {
    throw new UsageError('--programs: the search environment runs none');
  }
  if (programs !== undefined && environment !== 'repair') {
    throw new UsageError('--programs: updates of repo are counted in episodes');
  }
  if (against !== undefined) {
    if (rule === undefined) throw new UsageError('--against: needs --rule, the rule that it is compared with');
    if (options.profile) throw new UsageError('--against: cannot be combined with --profile');
    return compareRules(options, rule, against);
  }
  if (environment === 'search') return standard(options);
  if (options.profile) throw new UsageError('--profile: kernels are profiled only in the search environment');
  return phases(options);
}

/** Opens a trainer for updates under a rule. With `quick`, the updates are small. */
async function openUpdates({ quick, environment, rule, programs }: Options) {
  const gpu = await openNodeGpu();
  const small = environment === 'repair' ? { programs: 32 } : { questions: 2 };
  const changes = { ...(quick ? small : {}), ...(programs ? { programs } : {}), ...(rule ? { rule } : {}) };
  return { gpu, ...(await openTrainer(new WgslDevice(gpu), environment, { ...changes, criticUpdates: 0 })) };
}

/** Compares the time of an update with the time of an update under another rule. */
async function compareRules(options: Options, rule: string, against: string): Promise<number> {
  const { quick, environment, updates, json } = options;
  const { gpu, trainer, file } = await openUpdates(options);
  const rounds = quick ? 1 : updates;
  const figures = await updatesAgainst(trainer, rule, against, rounds);
  process.stdout.write(`${gpu.name}; ${file}\n${againstLine(figures, { rule, against, rounds })}\n`);
  const result = { adapter: gpu.name, checkpoint: file, quick, environment, rule, against, ...figures };
  if (json) writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`);
  return 0;
}

/** Reports the time of each phase of an update. */
async function phases(options: Options): Promise<number> {
  const { quick, environment, updates, json } = options;
  const { gpu, trainer, file } = await openUpdates(options);
  const figures = await measurePhases(trainer, quick ? 1 : 2, quick ? 1 : updates);
  const { groupSize } = trainer.controls as { readonly groupSize: number };
  const [unit, count] =
    environment === 'repair'
      ? (['programs', figures.turns] as const)
      : (['rollouts', figures.tasks * groupSize] as const);
  const table = phaseTable(figures, unit, count);
  process.stdout.write(`${gpu.name}; ${file}\n${trainer.controls.rule}\n\n${table}\n`);
  if (json)
    writeFileSync(
      json,
      `${JSON.stringify({ adapter: gpu.name, checkpoint: file, quick, environment, figures }, null, 2)}\n`,
    );
  return 0;
}

/** Measures updates of the search environment, and compares them with the same work in jax-js. */
async function standard({ quick, profile: profiling, rule = 'mt-grpo', json }: Options): Promise<number> {
  const entry = profiling ? await preciseGpu() : await nodeGpu();
  const count = countGpu();
  const gpu = await openGpu(await openAdapter(profiling ? withTimestamps(entry) : entry), nodeShaderLibrary());
  const opened = await openTrainer(new WgslDevice(gpu));
  const { trainer } = opened;
  // With a critic, the policy trains from the first update on.
  trainer.controls = { ...trainer.controls, rule, criticUpdates: 0 };
  if (quick) trainer.controls = { ...trainer.controls, questions: 2, groupSize: 4 };
  const [warmUp, repeats] = quick ? [1, 1] : [3, 9];
  const { figures: update, batch } = await measureUpdates(opened, warmUp, repeats, count);
  const common = { adapter: gpu.name, checkpoint: opened.file, quick, update };
  let report: BenchmarkReport;
  if (profiling) {
    const kernels = await profileUpdate(opened, repeats);
    report = { ...common, kernels, credit: creditCost(trainer, batch, kernels, repeats) };
  } else {
    const sequences = Math.ceil(batch.rollouts.length / (trainer.controls.minibatches as number));
    const workload = workloadOf(opened, batch, sequences);
    const ours = {
      step: await trainingStep(opened, workload),
      generate: () => generationTime(opened, batch.step),
      dispatchesPerPosition: update.dispatchesPerPosition,
    };
    const products = quick ? (['flattened'] as const) : (['flattened', 'batched'] as const);
    const comparison = await compareWithJax(entry, workload, products, ours, repeats, count);
    const disagreement = disagreementOf(comparison.step.trace, comparison.jax.step.trace);
    report = { ...common, sequences, comparison, disagreement };
  }
  process.stdout.write(`${describe(report)}\n`);
  if (json) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  // This form of the comparison also reports NaN.
  if (report.disagreement === undefined || report.disagreement <= AGREEMENT) return 0;
  process.stderr.write('turnwise and jax-js do not compute the same update: the comparison does not hold.\n');
  return 1;
}

function optional<Value>(flag: Flag<Value>): Flag<Value | undefined> {
  return { ...flag, fallback: undefined } as Flag<Value | undefined>;
}

// Dawn keeps its process alive.
process.exit(
  await runBenchmark({
    name: 'bench',
    description:
      'Times updates of the standard run of an environment on this machine’s adapter, phase by phase; in the search ' +
      'environment also the same work written with jax-js.',
    flags: {
      quick: toggle('A small batch and few repeats: shows that everything runs; its times are not reliable.'),
      profile: toggle(
        'Kernels by their share of the time of an update, and the cost of credit, instead of the comparison.',
      ),
      environment: choice('The environment.', ENVIRONMENT_NAMES, 'search'),
      programs: optional(integerFlag('Programs per update, in repair.', { min: 1, max: 256, default: 176 })),
      updates: integerFlag(
        'Updates that are timed, in repair and repo; with --against rounds of three under each rule.',
        {
          min: 1,
          max: 1000,
          default: 7,
        },
      ),
      rule: optional(
        choice('The credit rule, mt-grpo or the environment’s first; a critic is timed with it.', RULES, ''),
      ),
      against: optional(
        choice('Another rule: alternating updates of both rules on the same rollouts, every turn computed.', RULES, ''),
      ),
      json: text('FILE', 'Also writes all measurements.'),
    },
    examples: [
      '--quick',
      '--profile --rule mt-ppo',
      '--environment repair --programs 240',
      '--environment repo',
      '--environment repair --rule turn-ppo --against grpo-mt',
    ],
    run: main,
  }),
);
