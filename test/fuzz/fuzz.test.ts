import { expect, test } from 'vitest';
import { runFuzzer } from './fuzzer.ts';
import { FUZZERS } from './fuzzers.ts';

/** A fixed seed, so that the cases are always the same; `npm run fuzz` runs others. */
const SEED = 12;

test.each(FUZZERS.map((fuzzer) => [fuzzer.name, fuzzer] as const))(
  '%s: hostile cases are rejected properly or processed correctly',
  async (_, fuzzer) => {
    const { cases, failure } = await runFuzzer(fuzzer, fuzzer.caseCount, SEED);
    expect(failure).toBeUndefined();
    expect(cases).toBe(fuzzer.caseCount);
  },
  300_000,
);
