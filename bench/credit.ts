import { writeFileSync } from 'node:fs';
import { choice, text, toggle } from '../src/cli/framework/flags.ts';
import { openNodeGpu } from '../src/cli/framework/node.ts';
import { tokenAdvantage } from '../src/credit/gpu/batchArrays.ts';
import { ForestView } from '../src/credit/gpu/forestView.ts';
import { GpuCredit } from '../src/credit/gpu/gpuCredit.ts';
import type { CreditRule } from '../src/credit/rule.ts';
import { findRule, RULES } from '../src/credit/rules.ts';
import { BufferSet, readBuffer } from '../src/gpu/buffers.ts';
import type { Gpu } from '../src/gpu/device.ts';
import { Recorder } from '../src/gpu/recorder.ts';
import { buildForest, type Group } from '../src/rollouts/forest.ts';
import { syntheticGroups } from './creditForest.ts';
import { flatten, LOOPS } from './creditLoops.ts';
import { clocked, median } from './measure.ts';
import { runBenchmark } from './options.ts';

/** Tolerance relative to the largest advantage. Sums in float32 depend on the order of their terms. */
const AGREEMENT = 1e-3;

/** Times [ms], each the median of the repeats. */
interface Timing {
  readonly turns: number;
  /** Time on the host: building lists, uploading and recording. */
  readonly host: number;
  /** Time from the submission to the end of the work on the GPU. */
  readonly device: number;
  readonly float64: number;
  readonly loop: number;
}

interface Measured {
  readonly rule: string;
  readonly timings: readonly Timing[];
  /** Exponent of the growth between the two largest sizes, log(time) over log(turns): 1 is linear. */
  readonly growth: number;
}

async function measureSize(gpu: Gpu, rule: CreditRule, turns: number): Promise<Timing> {
  const groups = syntheticGroups(turns, rule.input === 'forest' ? 'trees' : 'chains', new Set(rule.reads));
  const flat = flatten(groups);
  const loop = LOOPS[rule.name];
  const forest = buildForest(groups);
  const buffers = new BufferSet(gpu.device);
  const recorder = new Recorder(gpu.device, 256);
  try {
    const credit = await GpuCredit.create(gpu, buffers, new ForestView(forest).capacity, [rule]);
    const repeats = turns > 200_000 ? 3 : 7;
    const runs: { host: number; device: number; float64: number; loop: number }[] = [];
    for (let repeat = 0; repeat <= repeats; repeat++) {
      const host = await clocked(() => {
        credit.upload(forest);
        credit.record(recorder, rule, {});
      });
      const device = await clocked(() => {
        recorder.submit();
        return gpu.device.queue.onSubmittedWorkDone();
      });
      const run = {
        host,
        device,
        float64: await clocked(() => groups.map((group) => rule.credit(group, {}))),
        // NaN for a rule without a loop in creditLoops.ts.
        loop: loop ? await clocked(() => loop(flat)) : NaN,
      };
      if (repeat > 0) runs.push(run); // the first run is a warm-up
    }
    await compare(gpu, credit, rule, groups, loop?.(flat));
    const of = (name: keyof (typeof runs)[number]) => median(runs.map((run) => run[name]));
    const exact = flat.reward.length;
    return { turns: exact, host: of('host'), device: of('device'), float64: of('float64'), loop: of('loop') };
  } finally {
    recorder.destroy();
    buffers.destroy();
  }
}

/** Compares the GPU with the float64 form and the loop. @throws {Error} if their advantages differ */
async function compare(
  gpu: Gpu,
  credit: GpuCredit,
  rule: CreditRule,
  groups: readonly Group[],
  loop: Float32Array | undefined,
): Promise<void> {
  const buffer = rule.unit === 'token' ? credit.buffer(tokenAdvantage) : credit.advantage;
  const float64 = groups.slice(0, 100).flatMap((group) => {
    const { advantage, tokens } = rule.credit(group, {});
    return [...(tokens?.advantages ?? advantage)];
  });
  const kernel = new Float32Array(await readBuffer(gpu.device, buffer, loop?.length ?? float64.length));
  const largest = float64.reduce((maximum, value) => Math.max(maximum, Math.abs(value)), 0);
  const pairs = [
    ['the GPU and the float64 form', kernel, float64],
    ...(loop ? [['the GPU and the loop', kernel, loop] as const] : []),
  ] as const;
  for (const [name, values, reference] of pairs) {
    for (let i = 0; i < reference.length; i++) {
      if (Math.abs(values[i] - reference[i]) <= AGREEMENT * largest) continue;
      throw new Error(`${rule.name}: ${name} differ at ${i}: ${values[i]} and ${reference[i]}`);
    }
  }
}

async function measureRule(gpu: Gpu, rule: CreditRule, sizes: readonly number[]): Promise<Measured> {
  const timings: Timing[] = [];
  for (const size of sizes) timings.push(await measureSize(gpu, rule, size));
  const [small, large] = timings.slice(-2);
  const cost = ({ host, device }: Timing) => host + device;
  const growth = Math.log(cost(large) / cost(small)) / Math.log(large.turns / small.turns);
  return { rule: rule.name, timings, growth };
}

function row({ rule, timings, growth }: Measured): string {
  const largest = timings[timings.length - 1];
  const gpu = largest.host + largest.device;
  const each = (ms: number) => (Number.isNaN(ms) ? '-' : ((1e6 * ms) / largest.turns).toFixed(1)).padStart(9);
  const ratio = (value: number) => (Number.isNaN(value) ? '-' : value.toFixed(2)).padStart(9);
  return [
    rule.padEnd(12),
    each(largest.host),
    each(largest.device),
    each(largest.float64),
    each(largest.loop),
    ratio(largest.float64 / gpu),
    ratio(largest.loop / gpu),
    growth.toFixed(2).padStart(8),
  ].join(' ');
}

interface Options {
  readonly quick: boolean;
  readonly rule: string;
  readonly json: string | undefined;
}

async function main({ quick, rule: only, json }: Options): Promise<number> {
  const rules = only === 'all' ? RULES : [findRule(only)];
  const gpu = await openNodeGpu();
  const sizes = quick ? [1e3, 1e4] : [1e3, 1e4, 1e5, 1e6];
  process.stdout.write(`${gpu.name}\nnanoseconds a turn at ${sizes[sizes.length - 1].toLocaleString('en')} turns\n\n`);
  const heads = ['GPU host', 'kernels', 'float64', 'f32 loop', 'f64/GPU', 'loop/GPU'];
  process.stdout.write(
    `${['rule'.padEnd(12), ...heads.map((head) => head.padStart(9)), 'growth'.padStart(8)].join(' ')}\n`,
  );
  const measured: Measured[] = [];
  for (const rule of rules) {
    measured.push(await measureRule(gpu, rule, sizes));
    process.stdout.write(`${row(measured[measured.length - 1])}\n`);
  }
  process.stdout.write(
    '\ngrowth: log of the GPU column over log of turns between the two largest sizes; 1 is linear\n',
  );
  if (json) writeFileSync(json, `${JSON.stringify({ adapter: gpu.name, quick, measured }, null, 2)}\n`);
  return 0;
}

process.exit(
  await runBenchmark({
    name: 'bench:credit',
    description: 'Times credit rules on 1,000 to 1,000,000 turns: the GPU, the float64 form, and a plain float32 loop.',
    flags: {
      quick: toggle('1,000 and 10,000 turns: shows that everything runs; its times are not reliable.'),
      rule: choice('The credit rule.', ['all', ...RULES.map(({ name }) => name)], 'all'),
      json: text('FILE', 'Also writes all measurements.'),
    },
    examples: ['--quick', '--rule rtmc'],
    run: main,
  }),
);
