import { expect, test } from 'vitest';
import { runFuzzer } from './fuzzer.ts';
import { FUZZERS } from './fuzzers.ts';

/** Always the same cases: `npm run fuzz` has others. */
const SEED = 12;

test.each(FUZZERS.map((fuzzer) => [fuzzer.name, fuzzer] as const))(
  '%s: hostile cases are refused plainly or done right',
  async (_, fuzzer) => {
    const { cases, failure } = await runFuzzer(fuzzer, fuzzer.caseCount, SEED);
    expect(failure).toBeUndefined();
    expect(cases).toBe(fuzzer.caseCount);
  },
  300_000,
);
