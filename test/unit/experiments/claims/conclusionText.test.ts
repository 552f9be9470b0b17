import { expect, test } from 'vitest';
import type { ClaimResult, ExperimentResult } from '../../../../src/experiments/claims/claimResult.ts';
import { countsText, formatConclusions, statusText } from '../../../../src/experiments/claims/conclusionText.ts';
import { countOf } from '../../../../src/experiments/claims/judge.ts';

const outcome = (status: string, test: object = {}) =>
  ({ kind: 'counted', test, corrected: { status } }) as unknown as ExperimentResult['outcomes'][number];
const resultOf = (
  ...experiments: readonly {
    readonly runs: readonly object[];
    readonly outcomes: readonly object[];
  }[]
) =>
  ({
    experiments: experiments.map((experiment, index) => ({ name: `world ${index}`, ...experiment })),
  }) as unknown as ClaimResult;

test('conclusions are counted per experiment, and an experiment without conclusions is "not run"', () => {
  const run = { arm: 'murphy-mars', seed: 1 };
  const complete = { runs: [run], outcomes: [outcome('holds'), outcome('open'), outcome('holds')] };
  expect(formatConclusions(resultOf(complete))).toBe('holds 2, open 1');
  expect(formatConclusions(resultOf({ runs: [run], outcomes: [] }))).toBe('not run');
  expect(formatConclusions(resultOf(complete, { runs: [run], outcomes: [] }))).toBe(
    'world 0: holds 2, open 1; world 1: not run',
  );
  expect(formatConclusions(resultOf())).toBe('not run');
});

test('the status text marks results by arithmetic, unequal comparisons and interim analyses', () => {
  expect(statusText(outcome('holds', { byArithmetic: true }))).toBe('holds by arithmetic');
  expect(statusText(outcome('open', { byArithmetic: true }))).toBe('open');
  expect(statusText(outcome('reverse', { unequal: 'x' }))).toBe('reverse, not like for like');
  const interim = { ...outcome('open'), corrected: { status: 'open', interim: 'holds' } };
  expect(statusText(interim as ReturnType<typeof outcome>)).toBe('open, interim analysis: holds');
});

test('counts are formatted with their exact interval, for each update', () => {
  expect(countsText([countOf(10, 10)], 'seeds')).toBe('10 of 10 seeds (95 % interval .69 to 1.00)');
  expect(countsText([countOf(5, 5, 40), countOf(0, 5, 60)], 'seeds')).toBe(
    'at update 40: 5 of 5 seeds (95 % interval .48 to 1.00), at update 60: 0 of 5 seeds (95 % interval .00 to .52)',
  );
});
