import { expect, test } from 'vitest';
import { runFuzzer } from '../fuzz/fuzzer.ts';
import { sequences } from '../fuzz/sequences.ts';

/** Always the same cases: `npm run fuzz -- sequences` has others. */
const SEED = 15;

test('an honest program says after any sequence of programs what it says in a fresh interpreter, steps too', async () => {
  const { cases, failure } = await runFuzzer(sequences, sequences.few, SEED);
  expect(failure).toBeUndefined();
  expect(cases).toBe(sequences.few);
});
