import { expect, test } from 'vitest';
import { runFuzzer } from '../fuzz/fuzzer.ts';
import { sequences } from '../fuzz/sequences.ts';

/** A fixed seed, so that the cases are always the same; `npm run fuzz -- sequences` runs others. */
const SEED = 15;

test('an honest program has the result and steps of a fresh interpreter after any programs', async () => {
  const { cases, failure } = await runFuzzer(sequences, sequences.caseCount, SEED);
  expect(failure).toBeUndefined();
  expect(cases).toBe(sequences.caseCount);
});
