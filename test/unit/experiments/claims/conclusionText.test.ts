import { describe, expect, test } from 'vitest';
import type { ClaimResult, ExperimentResult, PairedResult } from '../../../../src/experiments/claims/claimResult.ts';
import {
  armsText,
  countsText,
  effectText,
  forecastText,
  formatConclusions,
  primaryText,
  readerSentence,
  readerState,
  seedsText,
  signed,
  stateText,
  statusText,
  unfinishedText,
  withChange,
} from '../../../../src/experiments/claims/conclusionText.ts';
import { countOf, type Status } from '../../../../src/experiments/claims/judge.ts';
import { summaryOf } from '../../../../src/experiments/claims/plot.ts';
import { labResult } from '../../app/lab/labFixtures.ts';

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
    '“world 0”: holds 2, open 1; “world 1”: not run',
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

test('counts are formatted with their exact interval, for each switch, and once if they are equal for all switches', () => {
  expect(countsText([countOf(10, 10)], 'seeds')).toBe('10 of 10 seeds (95 % interval .69 to 1.00)');
  expect(countsText([countOf(5, 5, 40), countOf(0, 5, 60)], 'seeds')).toBe(
    'after 40 updates: 5 of 5 seeds (95 % interval .48 to 1.00), after 60 updates: 0 of 5 seeds (95 % interval .00 to .52)',
  );
  expect(countsText([countOf(5, 5, 40), countOf(5, 5, 60)], 'seeds')).toBe(
    'after each of 40, 60 updates: 5 of 5 seeds (95 % interval .48 to 1.00)',
  );
});

test('the arms of a test are listed if its statement does not name them, in any case, or if pairs are subtracted', () => {
  const text = (statement: string, changes: object = {}) =>
    armsText({ test: { statement, ...changes }, higher: 'mt-grpo', lower: 'grpo-mr' } as unknown as PairedResult);
  expect(text('MT-GRPO beats GRPO-MR')).toBe('');
  expect(text('Turn credit helps')).toBe(' (mt-grpo, grpo-mr)');
  expect(text('MT-GRPO beats GRPO-MR', { binary: 0.5 })).toBe(' (1 above 0.5, else 0)');
  const less = { higher: { rule: 'mt-ppo', changes: { gamma: 1 } }, lower: 0 };
  expect(text('MT-GRPO beats GRPO-MR', { less })).toBe(' (mt-grpo, grpo-mr; less mt-ppo:gamma=1, 0)');
});

/** Creates a result from the status of its primary test and of another test. */
function claimResultOf(primary: Status | undefined, secondary: Status, there = 20, more: object = {}): ClaimResult {
  const [base] = labResult.outcomes;
  const outcome = (status: Status, test: object) => ({
    ...base,
    test: { ...base.test, ...test },
    corrected: { status },
  });
  const outcomes = [...(primary ? [outcome(primary, { primary: true, ...more })] : []), outcome(secondary, {})];
  const experiment = { ...labResult, runs: [{}], outcomes, missing: 2, hours: 1 };
  return { id: 't1', seeds: { there, of: 20 }, unfinished: 0, experiments: [experiment] } as unknown as ClaimResult;
}

describe('the conclusion on a claim', () => {
  test.each<[Status | undefined, Status, number, string]>([
    ['holds', 'holds', 20, 'reproduced'],
    ['holds', 'open', 20, 'in part'],
    ['holds', 'reverse', 20, 'in part'],
    ['holds', 'no such gain', 20, 'in part'],
    ['no such gain', 'holds', 20, 'in part'],
    ['no such gain', 'open', 20, 'contradicted'],
    ['reverse', 'holds', 20, 'contradicted'],
    ['open', 'holds', 20, 'inconclusive'],
    [undefined, 'holds', 20, 'inconclusive'],
    ['holds', 'holds', 12, 'running'],
    ['holds', 'holds', 0, 'not run'],
  ])(
    'a claim with primary status "%s", secondary status "%s" and %s seeds has the conclusion "%s"',
    (primary, secondary, there, state) => {
      expect(readerState(claimResultOf(primary, secondary, there))).toBe(state);
    },
  );

  test('a claim whose other tests lack seeds is reproduced in part at most, and a changed test is named', () => {
    const complete = claimResultOf('holds', 'holds');
    expect(readerState({ ...complete, unfinished: 1 })).toBe('in part');
    expect(withChange(stateText(complete), { changed: 'The margin.' })).toBe('reproduced, test changed');
    expect(withChange(stateText(complete), {})).toBe('reproduced');
  });

  test('a primary test is reported with its statement, its conclusion and its effect', () => {
    const [primary] = claimResultOf('holds', 'holds').experiments[0].outcomes;
    expect(primaryText(primary)).toBe(
      'The primary test, “MT-GRPO uses the tool more than GRPO-OR”, ends “holds”: +85.0 points [+21.0, +149.0].',
    );
    const interim = {
      ...primary,
      interim: true,
      corrected: { ...primary.corrected, status: 'open', interim: 'holds' },
    };
    expect(primaryText(interim as typeof primary)).toContain('ends “open”, with the interim analysis “holds”: +85.0');
  });

  test('differences that are rounded to 0 have no minus sign', () => {
    expect([signed(-0.0004, undefined), signed(-0.001, 'updates'), signed(-0.001, undefined)]).toEqual([
      '+0.0',
      '+0.00',
      '−0.1',
    ]);
  });

  test('a test that holds by arithmetic does not make a claim with a failed primary test hold in part', () => {
    const result = claimResultOf('no such gain', 'holds');
    const [experiment] = result.experiments;
    const [primary, secondary] = experiment.outcomes;
    const certain = { ...secondary, test: { ...secondary.test, byArithmetic: true } } as typeof secondary;
    expect(readerState({ ...result, experiments: [{ ...experiment, outcomes: [primary, certain] }] })).toBe(
      'contradicted',
    );
  });

  test('the state of a claim has its number of seeds, and an additional question has no conclusion', () => {
    expect(stateText(claimResultOf('holds', 'open', 12))).toBe('open, 12 of 20 seeds');
    expect(stateText(claimResultOf('holds', 'open', 0))).toBe('not run yet');
    expect(stateText(claimResultOf('holds', 'holds', 20, { unequal: 'x' }))).toBe('reproduced, not like for like');
    expect(readerState({ ...claimResultOf(undefined, 'holds'), id: 'own-a' })).toBe('complete');
  });
});

test('the effect of an interim analysis names its seeds, and an open test the number of seeds that decides it', () => {
  const [open] = claimResultOf('open', 'holds', 15).experiments[0].outcomes;
  expect(effectText({ ...open, interim: true })).toBe('+85.0 points [+21.0, +149.0], first 10 seeds');
  const uncertain = { ...open, deviation: 5 } as typeof open;
  const seeds = /the test ends “holds” with about (\d+) seeds, before any correction/.exec(
    forecastText(uncertain),
  )?.[1];
  expect(Number(seeds)).toBeGreaterThan(1);
  const certain = { ...open, deviation: 1e-6 } as typeof open;
  expect(forecastText(certain)).toMatch(/^Before the correction .* ends “holds”; after the correction it is open/);
  for (const missing of [{ interim: true }, { incomplete: true }, { deviation: 0 }, { deviation: null }])
    expect(forecastText({ ...uncertain, ...missing } as typeof open)).toBe('');
  const [decided] = claimResultOf('holds', 'holds').experiments[0].outcomes;
  expect(forecastText(decided)).toBe('');
});

test('the seeds of a finished claim have the number of other tests without all their seeds', () => {
  const [seeds, missing] = [
    { there: 20, of: 20 },
    { there: 15, of: 20 },
  ];
  expect(seedsText({ seeds, unfinished: 0 })).toBe('20');
  expect(seedsText({ seeds, unfinished: 1 })).toBe('20; 1 other test unfinished');
  expect(seedsText({ seeds: missing, unfinished: 3 })).toBe('15 of 20');
  expect(unfinishedText({ unfinished: 3 })).toBe('3 other tests do not have all their seeds yet.');
  expect(unfinishedText({ unfinished: 0 })).toBe('');
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
  const summary = summaryOf(claimResultOf('holds', 'open', 12));
  expect(summary).toMatchObject({
    ...{ state: 'running', effect: '+85.0 points [+21.0, +149.0]', tests: 'holds 1, open 1', missing: 2, hours: 1 },
    row: { mean: 0.85, margin: 0.1, bound: 0.1 },
  });
  expect(summaryOf(claimResultOf(undefined, 'open', 0)).row).toBeUndefined();
});
