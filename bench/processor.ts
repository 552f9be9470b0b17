import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { integerFlag, text } from '../src/cli/framework/flags.ts';
import { nodeExactDevice } from '../src/cli/framework/node.ts';
import { alignedTable } from '../src/cli/framework/terminal.ts';
import { compiledKernels } from '../src/engine/exact/compile.ts';
import { instantiate } from '../src/engine/exact/kernels.ts';
import { surrogateLoss } from '../src/engine/exact/losses.ts';
import { Passes, POLICY, Trained } from '../src/engine/exact/passes.ts';
import { Arena, Space } from '../src/engine/exact/space.ts';
import { parameterLayout } from '../src/policy/weights.ts';
import { AGREEMENT, disagreementOf, type StepResult } from './jax.ts';
import { openJaxOnProcessor } from './jaxDevice.ts';
import { jaxGeneration } from './jaxGeneration.ts';
import { LINEAR } from './jaxNetwork.ts';
import { jaxTrainingStep } from './jaxTraining.ts';
import { median, roundTimes } from './measure.ts';
import { runBenchmark } from './options.ts';
import { generationTime, openTrainer, stepSettings, workloadOf } from './turnwise.ts';
import type { Workload } from './workload.ts';

/** Number of first steps whose loss and gradient norm are compared. */
const TRACED = 3;

/** Side of the comparison. Its functions return times [ms]. */
interface Side {
  readonly name: string;
  step(): Promise<StepResult & { readonly ms: number }>;
  generate(): Promise<number>;
  close?(): void;
}

async function timed<Result>(run: () => Result | Promise<Result>) {
  const start = performance.now();
  const result = await run();
  return { ...result, ms: performance.now() - start };
}

/** Returns a training step of the exact engine on the lessons. */
async function exactStep({ config, parameters, lessons }: Workload): Promise<() => StepResult> {
  const module = await WebAssembly.compile(await readFile(await compiledKernels()));
  const arena = new Arena(await instantiate(module));
  const space = new Space(arena, config, lessons.length);
  const passes = new Passes(space);
  const policy = new Trained(arena, config, { finite: true });
  policy.parameters.write(parameters);
  const slotOf = (index: number) => index * config.context;
  const slots = lessons.length * config.context;
  const [sampled, advantage] = [new Float32Array(slots), new Float32Array(slots)];
  const minibatch = lessons.map(({ tokens, weights, oldLogProbs, advantages }, index) => {
    sampled.set(oldLogProbs, slotOf(index));
    advantage.set(advantages, slotOf(index));
    return { tokens, weights, slot: slotOf(index), credits: Array.from(tokens, (_, token) => slotOf(index) + token) };
  });
  const { adamw, ...settings } = stepSettings();
  const weights = { ...settings, valueCoef: 0, valueClip: 0 };
  const recorded = { sampled, reference: new Float32Array(slots) };
  return () =>
    passes.learn(
      ...([policy, minibatch, POLICY] as const),
      (piece, sums) => surrogateLoss(space, piece, recorded, advantage, weights, false, sums),
      adamw,
    );
}

function jaxSide(workload: Workload): Side {
  const { step } = jaxTrainingStep(workload, LINEAR.flattened);
  const { generate } = jaxGeneration(workload);
  return { name: 'jax-js, WebAssembly', step: () => timed(step), generate: async () => (await timed(generate)).ms };
}

/** Starts bench/torchPeer.py. @param python path of a Python with torch and numpy */
async function torchSide(python: string, workload: Workload): Promise<Side> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));
  const [parameters, file] = [join(folder, 'parameters.bin'), join(folder, 'workload.json')];
  const { config, lessons, batch, turnLimits } = workload;
  writeFileSync(parameters, workload.parameters);
  const plain = {
    ...{ config, parameters, turnLimits, settings: stepSettings() },
    tensors: parameterLayout(config).tensors.map(({ name, shape, offset }) => [name, shape, offset]),
    lessons: lessons.map((lesson) =>
      Object.fromEntries(Object.entries(lesson).map(([key, values]) => [key, Array.from(values as Float32Array)])),
    ),
    rollouts: batch.rollouts.map(({ tokens, turnOf }) => ({ tokens: Array.from(tokens), turnOf: Array.from(turnOf) })),
  };
  writeFileSync(file, JSON.stringify(plain));
  const child = spawn(python, [fileURLToPath(new URL('torchPeer.py', import.meta.url)), file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  failed.catch(() => {});
  const answer = async () => {
    const { value, done } = await Promise.race([lines.next(), failed]);
    if (done) throw new Error(`${python} ended; its messages are above`);
    return JSON.parse(value);
  };
  const request = (command: string) => {
    child.stdin.write(`${command}\n`);
    return answer();
  };
  const close = () => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { torch } = await answer();
    const generate = async () => (await request('generate')).ms;
    return { name: `PyTorch ${torch}, eager, one thread`, step: () => request('step'), generate, close };
  } catch (error) {
    close();
    throw error;
  }
}

process.exitCode = await runBenchmark({
  name: 'bench:processor',
  description:
    'Times a training step of 64 sequences and the generation of 128 rollouts of the search environment on the exact ' +
    'engine, with jax-js on its WebAssembly backend, and with eager PyTorch on one thread, in turns. Loss and gradient norm ' +
    'of the first steps must agree.',
  flags: {
    rounds: integerFlag('Turns of each side.', { min: 1, max: 100, default: 5 }),
    python: text(
      'FILE',
      'Python with torch and numpy, for example python/.venv/bin/python. Default: no comparison with PyTorch.',
    ),
    json: text('FILE', 'Where the figures go.'),
  },
  examples: ['', '--python python/.venv/bin/python'],
  async run({ rounds: count, python, json }) {
    const opened = await openTrainer(await nodeExactDevice());
    const { batch } = await opened.trainer.update();
    const sequences = Math.ceil(batch.rollouts.length / (opened.trainer.controls.minibatches as number));
    const workload = workloadOf(opened, batch, sequences);
    const step = await exactStep(workload);
    const exact: Side = {
      name: 'exact engine',
      step: () => timed(step),
      generate: () => generationTime(opened, batch.step),
    };
    await openJaxOnProcessor();
    const sides = [exact, jaxSide(workload), ...(python ? [await torchSide(python, workload)] : [])];
    try {
      const traces: StepResult[][] = [];
      for (const side of sides) {
        const trace: StepResult[] = [];
        for (let i = 0; i < TRACED; i++) trace.push(await side.step());
        traces.push(trace);
      }
      const differences = traces.map((trace) => disagreementOf(trace, traces[0]));
      const steps = await roundTimes(
        count,
        sides.map((side) => async () => (await side.step()).ms),
      );
      const generations = await roundTimes(
        count,
        sides.map((side) => () => side.generate()),
      );
      const ratio = (times: number[][], side: number) =>
        median(times[side].map((time, round) => time / times[0][round]));
      const figures = sides.map(({ name }, side) => ({
        name,
        stepMs: median(steps[side]),
        stepRatio: ratio(steps, side),
        generationMs: median(generations[side]),
        generationRatio: ratio(generations, side),
        difference: differences[side],
      }));
      const rows = figures.map((side) => [
        side.name,
        side.stepMs.toFixed(1),
        side.stepRatio.toFixed(1),
        side.generationMs.toFixed(1),
        side.generationRatio.toFixed(1),
        side.difference.toExponential(1),
      ]);
      const head = [
        '',
        `training step of ${sequences} sequences [ms]`,
        'ratio',
        `generation of ${batch.rollouts.length} rollouts [ms]`,
        'ratio',
        'difference of loss and norm',
      ];
      process.stdout.write(`${alignedTable(head, rows)}\n`);
      process.stdout.write('Medians over rounds in turns. Generation of the exact engine includes the environment.\n');
      if (json) writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`);
      // This form of the comparison also reports NaN.
      if (differences.every((difference) => difference <= AGREEMENT)) return 0;
      process.stderr.write('The sides do not compute the same update: the comparison does not hold.\n');
      return 1;
    } finally {
      for (const side of sides) side.close?.();
    }
  },
});
