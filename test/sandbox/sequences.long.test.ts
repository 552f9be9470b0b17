import { expect, test } from 'vitest';
import { runFuzzer } from '../fuzz/fuzzer.ts';
import { sequences } from '../fuzz/sequences.ts';

const CASES = 150;
const SEED = 34;

test('an honest program has the outcome of a fresh interpreter after 150 hostile sequences', async () => {
  const { cases, failure } = await runFuzzer(sequences, CASES, SEED);
  expect(failure).toBeUndefined();
  expect(cases).toBe(CASES);
});
