import { expect, test } from 'vitest';
import { runFuzzer } from './fuzzer.ts';
import { FUZZERS } from './fuzzers.ts';

/** Number of cases as a multiple of the number in the gate. The cases have another seed. */
const DEPTH = 8;
const SEED = 34;

test.each(FUZZERS.map((fuzzer) => [fuzzer.name, fuzzer] as const))(
  `%s: ${DEPTH} times as many hostile cases are rejected properly or processed correctly`,
  async (_, fuzzer) => {
    const { cases, failure } = await runFuzzer(fuzzer, DEPTH * fuzzer.caseCount, SEED);
    expect(failure).toBeUndefined();
    expect(cases).toBe(DEPTH * fuzzer.caseCount);
  },
);
