// Compares the time of an AdamW step of the exact engine with subnormal moments and with moments of the usual size.
// Moments become subnormal if a gradient is 0 for many steps. Usage: `node --import tsx bench/subnormals.ts`.
import { readFile } from 'node:fs/promises';
import { compiledKernels } from '../src/engine/exact/compile.ts';
import { instantiate } from '../src/engine/exact/kernels.ts';
import { parameterLayout, standardPolicy } from '../src/policy/weights.ts';

const ROUNDS = 60;
const START = 65536;

const kernels = await instantiate(await WebAssembly.compile(await readFile(await compiledKernels())));
const { size } = parameterLayout(standardPolicy(128, 128));
kernels.memory.grow(Math.ceil((START + 16 * size) / 65536));
const memory = new Float32Array(kernels.memory.buffer);
const [parameters, gradients, first, second] = [0, 1, 2, 3].map((array) => START + 4 * size * array);

/** Fills an array of `size` numbers. */
const fill = (address: number, value: number) => memory.fill(value, address / 4, address / 4 + size);

/** Returns the minimum time of a step over `ROUNDS` rounds [ms]. */
function timeStep(gradient: number, firstMoment: number, secondMoment: number): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    fill(parameters, 0.1);
    fill(gradients, gradient);
    fill(first, firstMoment);
    fill(second, secondMoment);
    const begin = performance.now();
    kernels.adamw(parameters, gradients, first, second, size, 1, 3e-4, 0.9, 0.99, 1e-8, 0, 1, 1);
    shortest = Math.min(shortest, performance.now() - begin);
  }
  return shortest;
}

const usual = timeStep(0, 1e-3, 1e-6);
for (const [name, firstMoment, secondMoment] of [
  ['first moments subnormal', 1e-41, 1e-6],
  ['both moments subnormal', 1e-41, 1e-41],
] as const) {
  const time = timeStep(0, firstMoment, secondMoment);
  process.stdout.write(
    `${name}: ${time.toFixed(2)} ms, usual ${usual.toFixed(2)} ms, ratio ${(time / usual).toFixed(1)}; ${size} parameters\n`,
  );
}
