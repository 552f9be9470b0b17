import { expect, test } from 'vitest';
import { runFuzzer } from './fuzzer.ts';
import { FUZZERS } from './fuzzers.ts';

/** Cases for each one of the gate, from another seed. */
const DEPTH = 8;
const SEED = 34;

test.each(FUZZERS.map((fuzzer) => [fuzzer.name, fuzzer] as const))(
  `%s: ${DEPTH} times as many hostile cases`,
  async (_, fuzzer) => {
    const { cases, failure } = await runFuzzer(fuzzer, DEPTH * fuzzer.caseCount, SEED);
    expect(failure).toBeUndefined();
    expect(cases).toBe(DEPTH * fuzzer.caseCount);
  },
);
