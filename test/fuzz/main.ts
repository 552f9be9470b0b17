import { openNodeGpu } from '../../src/cli/framework/node.ts';

import { devices } from './devices.ts';
import { type AnyFuzzer, runFuzzer } from './fuzzer.ts';
import { FUZZERS } from './fuzzers.ts';
import { sequences } from './sequences.ts';

/** Name of the fuzzer that needs a GPU. It runs only if the command line names it. */
const DEVICES = 'devices';

const USAGE = `npm run fuzz -- [--cases N] [--seed S] [NAME ...]

Runs fuzzers with other cases than the tests have; without names all of them. The same seed gives the same cases.

${FUZZERS.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`).join('\n')}
  ${DEVICES.padEnd(12)} the same groups on the GPU and on the CPU; only where it is named
  ${sequences.name.padEnd(12)} ${sequences.about}; only where it is named
`;

/**
 * Reads the command line.
 * @throws {Error} if the command line is invalid
 */
function read(args: readonly string[]) {
  const names: string[] = [];
  const numbers = { cases: 1000, seed: Math.floor(Math.random() * 2 ** 31) };
  for (let at = 0; at < args.length; at++) {
    const [, flag, inline] = /^--(cases|seed)(?:=(.*))?$/.exec(args[at]) ?? [];
    if (flag === undefined) {
      if (![DEVICES, sequences.name].includes(args[at]) && !FUZZERS.some(({ name }) => name === args[at]))
        throw new Error(`there is no fuzzer "${args[at]}"`);
      names.push(args[at]);
      continue;
    }
    const value = Number(inline ?? args[++at]);
    if (!Number.isInteger(value) || value < 0) throw new Error(`--${flag} needs a whole number from 0`);
    numbers[flag as keyof typeof numbers] = value;
  }
  const fuzzers = FUZZERS.filter(({ name }) => names.length === 0 || names.includes(name));
  return { ...numbers, fuzzers, onGpu: names.includes(DEVICES), inPython: names.includes(sequences.name) };
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(USAGE);
    return 0;
  }
  let failed = 0;
  try {
    const { cases, seed, fuzzers, onGpu, inPython } = read(args);
    const all: AnyFuzzer[] = [...fuzzers];
    if (inPython) all.push(sequences);
    if (onGpu) all.push(devices(await openNodeGpu()));
    process.stdout.write(`seed ${seed}\n`);
    for (const fuzzer of all) {
      const { cases: done, failure } = await runFuzzer(fuzzer, cases, seed);
      process.stdout.write(failure ? `${failure}\n\n` : `${fuzzer.name}: ${done} cases, all as they should be\n`);
      if (failure) failed++;
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  return failed > 0 ? 1 : 0;
}

process.exit(await main(process.argv.slice(2)));
