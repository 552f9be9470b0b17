import { expect, test } from 'vitest';
import type { ClaimResult } from '../../../../src/experiments/claims/claimResult.ts';
import { plainVerdict, verdictsOf } from '../../../../src/experiments/claims/verdictWords.ts';

const outcome = (status: string) => ({ kind: 'counted', statement: 's', found: 'f', status });
const resultOf = (
  ...experiments: readonly { readonly runs: readonly object[]; readonly outcomes: readonly object[] }[]
) => ({ experiments: experiments.map((one, index) => ({ name: `world ${index}`, ...one })) }) as unknown as ClaimResult;

test('verdicts are counted, and an experiment without any was not run, though an arm of it was run for another claim', () => {
  const run = { arm: 'murphy-mars', seed: 1 };
  const whole = { runs: [run], outcomes: [outcome('appears'), outcome('undecided'), outcome('appears')] };
  expect(verdictsOf(resultOf(whole), plainVerdict)).toBe('appears 2, undecided 1');
  expect(verdictsOf(resultOf({ runs: [run], outcomes: [] }), plainVerdict)).toBe('not run');
  expect(verdictsOf(resultOf({ runs: [], outcomes: [outcome('undecided')] }), plainVerdict)).toBe('not run');
  expect(verdictsOf(resultOf(whole, { runs: [run], outcomes: [] }), plainVerdict)).toBe(
    'world 0: appears 2, undecided 1; world 1: not run',
  );
  expect(verdictsOf(resultOf(), plainVerdict)).toBe('not run');
});
