import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { choice, integerFlag, text } from '../src/cli/framework/flags.ts';
import { nodeExactDevice, openNodeGpu } from '../src/cli/framework/node.ts';
import { alignedTable } from '../src/cli/framework/terminal.ts';
import type { EngineDevice } from '../src/engine/engine.ts';
import { compiledKernels } from '../src/engine/exact/compile.ts';
import { instantiate } from '../src/engine/exact/kernels.ts';
import { Arena } from '../src/engine/exact/space.ts';
import { WgslDevice } from '../src/engine/wgsl/wgslEngine.ts';
import { ENVIRONMENT_NAMES } from '../src/training/data/configuration.ts';
import { median } from './measure.ts';
import { runBenchmark } from './options.ts';
import { openTrainer } from './turnwise.ts';

/** Times of one update [ms]: processor time of the process, elapsed time, and the elapsed time of its parts. */
interface UpdateTimes {
  readonly cpu: number;
  readonly wall: number;
  readonly generate: number;
  readonly update: number;
}

/** Number of consecutive updates of an engine. The first of them is not counted. */
const TURN = 4;

/** Opens a run of an environment on a device. @returns a function that does one update */
async function updatesOn(device: EngineDevice, ...run: [environment: Environment, changes: Changes]) {
  const { trainer } = await openTrainer(device, ...run);
  return async (): Promise<UpdateTimes> => {
    const [start, cpu] = [performance.now(), process.cpuUsage()];
    const { generateMs, updateMs } = await (await trainer.update()).metrics;
    const { user, system } = process.cpuUsage(cpu);
    return { cpu: (user + system) / 1000, wall: performance.now() - start, generate: generateMs, update: updateMs };
  };
}

type Environment = Parameters<typeof openTrainer>[1];
type Changes = Parameters<typeof openTrainer>[2];

/** Returns the maximum speed of the matrix product of the exact engine, 256 × 64 by 64 × 192 [GFLOP/s]. */
async function productSpeed(): Promise<number> {
  const arena = new Arena(await instantiate(await WebAssembly.compile(await readFile(await compiledKernels()))));
  const [M, N, K] = [256, 192, 64];
  const [A, B, C] = [M * K, K * N, M * N].map((length) => arena.allocate(length));
  // Memory that was never written is slower: all its pages are the same page of zeros.
  arena.f32.fill(0.5);
  const repeats = 40;
  const times = Array.from({ length: 40 }, () => {
    const start = performance.now();
    for (let i = 0; i < repeats; i++) arena.kernels.product(A, 4 * K, 4, B, 4 * N, C, 4 * N, M, N, K, 0);
    return performance.now() - start;
  });
  return (repeats * 2 * M * N * K) / Math.min(...times) / 1e6;
}

process.exitCode = await runBenchmark({
  name: 'bench:engines',
  description:
    'Trains the same run on the exact engine and on WebGPU in turns, and prints processor time an update, its parts by the clock, ' +
    'the ratio of the two engines, and the speed of the matrix product. On a software renderer both engines use the processor.',
  flags: {
    environment: choice('Environment of the run.', ENVIRONMENT_NAMES, 'search'),
    rule: text('RULE', 'Credit rule. Default: the rule of the environment.'),
    klCoef: text('NUMBER', 'KL coefficient. With 0 the reference sees 16 rollouts. Default: that of the environment.'),
    rounds: integerFlag('Turns of each engine.', { min: 1, max: 100, default: 5 }),
    json: text('FILE', 'Where the figures go.'),
  },
  examples: ['', '--klCoef 0', '--environment repair --rule verpo', '--environment repo --rule rtmc'],
  async run({ environment, rule, klCoef, rounds, json }) {
    const changes = { ...(rule ? { rule } : {}), ...(klCoef ? { klCoef: Number(klCoef) } : {}), heldOutMode: 'off' };
    const devices = { exact: await nodeExactDevice(), wgsl: new WgslDevice(await openNodeGpu()) };
    const sides = await Promise.all(
      Object.entries(devices).map(async ([name, device]) => ({
        ...{ name, device: device.name, times: [] as UpdateTimes[], cpu: [] as number[] },
        update: await updatesOn(device, environment, changes),
      })),
    );
    for (let round = 0; round < rounds; round++) {
      for (const side of sides) {
        const turn: UpdateTimes[] = [];
        for (let i = 0; i < TURN; i++) turn.push(await side.update());
        side.times.push(...turn.slice(1));
        side.cpu.push(median(turn.slice(1).map(({ cpu }) => cpu)));
      }
    }
    const [exact, wgsl] = sides;
    const figures = {
      environment,
      ...changes,
      engines: sides.map(({ name, device, times }) => ({
        ...{ name, device },
        ...Object.fromEntries(
          (['cpu', 'wall', 'generate', 'update'] as const).map((part) => [
            part,
            median(times.map((time) => time[part])),
          ]),
        ),
      })),
      ratios: exact.cpu.map((cpu, round) => wgsl.cpu[round] / cpu),
      gigaflops: await productSpeed(),
    };
    const rows = figures.engines.map(({ name, device, ...times }) => [
      ...[name, device],
      ...Object.values(times).map((time) => Number(time).toFixed(0)),
    ]);
    const ratios = figures.ratios.toSorted((a, b) => a - b).map((ratio) => ratio.toFixed(2));
    const head = ['engine', 'device', 'processor ms', 'wall ms', 'generation ms', 'update ms'];
    process.stdout.write(`${alignedTable(head, rows)}\n`);
    process.stdout.write(
      `processor time, WebGPU over exact: median ${median(figures.ratios).toFixed(2)}, ${ratios[0]} to ${ratios.at(-1)}\n` +
        `matrix product: ${figures.gigaflops.toFixed(1)} GFLOP/s\n`,
    );
    if (json) writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`);
    devices.wgsl.destroy();
    return 0;
  },
});
