import { expect, test } from 'vitest';
import { runFuzzer } from '../fuzz/fuzzer.ts';
import { sequences } from '../fuzz/sequences.ts';

/** Always the same cases: `npm run fuzz -- sequences` has others. */
const SEED = 15;

test('an honest program has the same result and steps after any sequence of programs as in a fresh interpreter', async () => {
  const { cases, failure } = await runFuzzer(sequences, sequences.caseCount, SEED);
  expect(failure).toBeUndefined();
  expect(cases).toBe(sequences.caseCount);
});
