import { describe, expect, test } from 'vitest';
import type { ClaimResult } from '../../../../src/experiments/claims/claimResult.ts';
import { readerSentence, readerState, stateText } from '../../../../src/experiments/claims/conclusionText.ts';
import type { Status } from '../../../../src/experiments/claims/judge.ts';
import { summaryOf } from '../../../../src/experiments/claims/plot.ts';
import { labResult } from '../../app/lab/labFixtures.ts';

/** Creates a result from the status of its primary test and of another test. */
function resultOf(primary: Status | undefined, secondary: Status, there = 20, more: object = {}): ClaimResult {
  const [base] = labResult.outcomes;
  const outcome = (status: Status, test: object) => ({
    ...base,
    test: { ...base.test, ...test },
    corrected: { status },
  });
  const outcomes = [...(primary ? [outcome(primary, { primary: true, ...more })] : []), outcome(secondary, {})];
  const experiment = { ...labResult, runs: [{}], outcomes, missing: 2, hours: 1 };
  return { id: 't1', seeds: { there, of: 20 }, experiments: [experiment] } as unknown as ClaimResult;
}

describe('the conclusion on a claim', () => {
  test.each<[Status | undefined, Status, number, string]>([
    ['holds', 'open', 20, 'reproduced'],
    ['holds', 'reverse', 20, 'in part'],
    ['holds', 'no such gain', 20, 'in part'],
    ['no such gain', 'holds', 20, 'contradicted'],
    ['reverse', 'holds', 20, 'contradicted'],
    ['open', 'holds', 20, 'inconclusive'],
    [undefined, 'holds', 20, 'inconclusive'],
    ['holds', 'holds', 12, 'running'],
    ['holds', 'holds', 0, 'not run'],
  ])(
    'a claim with primary status "%s", secondary status "%s" and %s seeds has the conclusion "%s"',
    (primary, secondary, there, state) => {
      expect(readerState(resultOf(primary, secondary, there))).toBe(state);
    },
  );

  test('the state of a claim has its number of seeds, and a question of the project has no conclusion', () => {
    expect(stateText(resultOf('holds', 'open', 12))).toBe('open, 12 of 20 seeds');
    expect(stateText(resultOf('holds', 'open', 0))).toBe('not run yet');
    expect(stateText(resultOf('holds', 'open', 20, { unequal: 'x' }))).toBe('reproduced, not like for like');
    expect(readerState({ ...resultOf(undefined, 'holds'), id: 'own-a' })).toBe('complete');
  });
});

test('a sentence counts the claims of the papers by their conclusions', () => {
  expect(readerSentence(['reproduced', 'reproduced', 'in part', 'contradicted', 'running', 'not run'])).toBe(
    'Of 6 claims of four papers, 2 are reproduced, 1 is reproduced in part, 1 is contradicted, 1 has a part of the seeds and 1 is not run yet.',
  );
  expect(readerSentence(['not run', 'not run'])).toBe(
    'Of 2 claims of four papers, none has a conclusion yet and 2 are not run yet.',
  );
});

test('the summary of a claim has the numbers of its primary test and of missing runs', () => {
  const summary = summaryOf(resultOf('holds', 'open', 12));
  expect(summary).toMatchObject({
    ...{ state: 'running', effect: '+85.0 points [+21.0, +149.0]', tests: 'holds 1, open 1', missing: 2, hours: 1 },
    row: { mean: 0.85, margin: 0.1, preserves: false },
  });
  expect(summaryOf(resultOf(undefined, 'open', 0)).row).toBeUndefined();
});
