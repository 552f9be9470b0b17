import { expect, test } from 'vitest';
import type { ClaimResult, RunRecord } from '../../../../src/experiments/claims/claimResult.ts';
import { plainVerdict, seedsOf, verdictsOf } from '../../../../src/experiments/claims/verdictWords.ts';

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

test('a seed is there where each of its arms was run', () => {
  const runs = (arm: string, ...seeds: number[]) => seeds.map((seed) => ({ arm, seed }) as RunRecord);
  expect(seedsOf({ seeds: 3, runs: [...runs('a', 1, 2, 3), ...runs('b', 1, 2, 3)], missing: 0 })).toBe('3');
  expect(seedsOf({ seeds: 3, runs: [...runs('a', 1, 2, 3), ...runs('b', 2)], missing: 2 })).toBe('1 of 3');
  expect(seedsOf({ seeds: 3, runs: runs('a', 1, 2, 3), missing: 3 })).toBe('0 of 3');
  expect(seedsOf({ seeds: 3, runs: [], missing: 6 })).toBe('0 of 3');
});
