import { describe, expect, test } from 'vitest';
import type { ClaimTest, Side } from '../../../../src/environments/claim.ts';
import {
  type CountedOutcome,
  fits,
  outcomesOf,
  type PairedOutcome,
} from '../../../../src/experiments/claims/outcome.ts';
import { readArm } from '../../../../src/experiments/compare/arms.ts';
import type { Findings } from '../../../../src/experiments/compare/findings.ts';
import { tablesOf } from '../../../../src/training/data/configurationTables.ts';
import { allRuns, experimentOf, fileOf, searchRun } from '../../cli/lab/fakeFindings.ts';

const shortcut = experimentOf('t1');
const file = fileOf(shortcut, allRuns(shortcut));
const outcomes = (tests: readonly ClaimTest[], findings: Findings = file) =>
  outcomesOf(tests, { findings, arms: shortcut.arms });
const paired = (parts: object): ClaimTest =>
  ({ kind: 'paired', statement: 's', hypothesis: 'more', margin: 0.1, ...parts }) as ClaimTest;
const side = (rule: string): Side => ({ rule, changes: {} });
const TOOL = { end: 'toolUse' };
const halved = (series: Findings['runs'][number]['series']) =>
  Object.fromEntries(Object.entries(series).map(([name, values]) => [name, values.map((value) => value && value / 2)]));

test('an arm fits a side with its rule and exactly its parameters', () => {
  const names = [
    'murphy-mars',
    'murphy-mars:inter=2',
    'murphy-mars:inter=4',
    'murphy-mars:inter=2:groupSize=8',
    'grpo-mt',
  ];
  const fitting = (changes: Side['changes']) =>
    names.filter((name) => fits(readArm(tablesOf('repair'), name), { rule: 'murphy-mars', changes }));
  expect(fitting({})).toEqual(['murphy-mars']);
  expect(fitting(readArm(tablesOf('repair'), 'murphy-mars:inter=2').changes)).toEqual(['murphy-mars:inter=2']);
});

describe('the outcome of two arms', () => {
  const test1 = paired({ higher: side('mt-grpo'), lower: side('grpo-mr'), of: TOOL });
  const [result] = outcomes([test1]) as PairedOutcome[];

  test('the outcome of two arms has a difference for each of the first ten seeds', () => {
    expect(result.differences.map(({ seed }) => seed)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const { difference } of result.differences) expect(difference).toBeCloseTo(0.97, 10);
    expect([result.higher, result.lower, result.improvement]).toEqual(['mt-grpo', 'grpo-mr', 1]);
    expect([result.iqm.mean, result.iqm.low, result.iqm.high]).toEqual(Array(3).fill(expect.closeTo(0.97)));
    expect(result.judgement.level).toBe(0.05);
  });

  const noisy = (seeds: readonly number[]) =>
    fileOf(
      shortcut,
      seeds.flatMap((seed) => [
        searchRun(shortcut, 'mt-grpo', seed, [0.5 + (seed % 5) / 50, 0.5, 0.5]),
        searchRun(shortcut, 'grpo-mr', seed, [0, 0.5, 0.5]),
      ]),
    );
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  const evaluate = (test: ClaimTest, count: number) => {
    const [{ differences, judgement }] = outcomes([test], noisy(upTo(count))) as PairedOutcome[];
    return [differences.length, judgement.status, judgement.level, judgement.reason];
  };

  test('the outcome of two arms is decided by the first ten seeds, and is open with fewer seeds', () => {
    expect(evaluate(test1, 9)).toEqual([9, 'open', 0.05, '9 of 10 seeds']);
    expect(evaluate(test1, 10)).toEqual([10, 'holds', 0.05, undefined]);
    expect(evaluate(test1, 20)).toEqual([10, 'holds', 0.05, undefined]);
  });

  test('a primary outcome has an interim analysis and a smaller level', () => {
    const primary = { ...test1, primary: true } as const;
    expect(evaluate(primary, 9)).toEqual([9, 'open', 0.0294, '9 of 10 seeds']);
    expect(evaluate(primary, 10)).toEqual([10, 'holds', 0.0294, undefined]);
    expect(evaluate(primary, 19)).toEqual([10, 'holds', 0.0294, undefined]);
    expect(evaluate(primary, 20)).toEqual([20, 'holds', 0.0294, undefined]);
  });

  test('the outcome of two arms uses only the seeds that both arms have', () => {
    const some = { ...file, runs: file.runs.filter(({ arm, seed }) => arm.name !== 'grpo-mr' || seed > 4) };
    const [actual] = outcomes([test1], some) as PairedOutcome[];
    expect(actual.differences.map(({ seed }) => seed)).toEqual([5, 6, 7, 8, 9, 10]);
    expect(actual.judgement.reason).toBe('6 of 10 seeds');
    expect(actual.incomplete).toBe(true);
  });

  test('the outcome of two arms with equal values is a tie, despite rounding errors', () => {
    const ties = upTo(10).flatMap((seed) => [
      { ...searchRun(shortcut, 'mt-grpo', seed, [1, 1, 1]), series: { toolUse: [0.1 + 0.2] } },
      { ...searchRun(shortcut, 'grpo-mr', seed, [1, 1, 1]), series: { toolUse: [0.3] } },
    ]);
    const [actual] = outcomes([test1], fileOf(shortcut, ties)) as PairedOutcome[];
    expect([actual.improvement, actual.judgement.mean]).toEqual([0.5, 0]);
  });

  test('an outcome by arithmetic holds without variance if all seeds agree', () => {
    const same = upTo(10).flatMap((seed) => [
      { ...searchRun(shortcut, 'mt-grpo', seed, [1, 1, 1]), series: { rollouts: [8] } },
      { ...searchRun(shortcut, 'grpo-mr', seed, [1, 1, 1]), series: { rollouts: [8] } },
    ]);
    const hypothesis = { hypothesis: 'keeps', margin: 0.5, of: { mean: 'rollouts' } };
    const [plain, arithmetic] = outcomes(
      [paired({ ...test1, ...hypothesis }), { ...paired({ ...test1, ...hypothesis }), byArithmetic: true }],
      fileOf(shortcut, same),
    ) as PairedOutcome[];
    expect([plain.judgement.status, arithmetic.judgement.status]).toEqual(['open', 'holds']);
    expect(plain.judgement.reason).toContain('the same difference');
  });

  test('a binary outcome counts each value above the bound as 1', () => {
    const [actual] = outcomes([{ ...paired({ ...test1, binary: 0.5 }) }]) as PairedOutcome[];
    expect(new Set(actual.differences.map(({ difference }) => difference))).toEqual(new Set([1]));
    expect(actual.judgement).toMatchObject({ status: 'holds', mean: 1, probability: expect.closeTo(2 / 1024, 12) });
  });
});

describe('other outcomes', () => {
  const differences = (test: ClaimTest) =>
    (outcomes([test]) as PairedOutcome[]).flatMap((result) => result.differences.map(({ difference }) => difference));

  test('an outcome can compare the start of a curve with its end in the same arm', () => {
    const falls = paired({ higher: side('grpo-or'), lower: side('grpo-or'), of: { start: 'toolUse' }, lowerOf: TOOL });
    differences(falls).forEach((value, index) => {
      expect(value).toBeCloseTo(0.5 - 0.01 - (index + 1) / 1e4, 10);
    });
  });

  test('an outcome can compare a number with an arm', () => {
    const below = paired({ higher: 0.25, lower: side('grpo-or'), of: TOOL });
    expect(differences(below)[0]).toBeCloseTo(0.25 - 0.0101, 10);
    expect((outcomes([below]) as PairedOutcome[])[0].improvement).toBe(1);
  });

  test('an outcome can be a difference of differences', () => {
    const edge = paired({
      ...{ higher: side('mt-grpo'), lower: side('grpo-mr'), of: TOOL },
      less: { higher: side('mt-ppo'), lower: side('ppo-mr') },
    });
    for (const value of differences(edge)) expect(value).toBeCloseTo(0.97 - 0.79, 10);
  });

  test('an outcome can be a difference of differences of two measures of the same arms', () => {
    const both = { higher: side('mt-grpo'), lower: side('grpo-mr') };
    const edge = paired({ ...both, of: TOOL, less: both, lessOf: { measured: 'answer' } });
    const [tool, answer] = [paired({ ...both, of: TOOL }), paired({ ...both, of: { measured: 'answer' } })].map(
      differences,
    );
    expect(differences(edge)).toHaveLength(tool.length);
    differences(edge).forEach((value, index) => {
      expect(value).toBeCloseTo(tool[index] - answer[index], 12);
    });
    expect(tool[0]).not.toBeCloseTo(answer[0], 3);
  });

  test('an outcome can subtract a difference of another experiment per seed, and is absent without it', () => {
    const gain = { higher: side('mt-grpo'), lower: side('grpo-mr') };
    const growth = paired({ ...gain, of: TOOL, less: { ...gain, in: 'open' } });
    const half = { ...file, runs: file.runs.map((run) => ({ ...run, series: halved(run.series) })) };
    const elsewhere = (name: string) => (name === 'open' ? { ...half, arms: shortcut.arms } : undefined);
    const [actual] = outcomesOf([growth], { findings: file, arms: shortcut.arms, elsewhere }) as PairedOutcome[];
    const [plain, halfOutcome] = [file, half].map((from) => outcomes([paired({ ...gain, of: TOOL })], from)) as [
      [PairedOutcome],
      [PairedOutcome],
    ];
    actual.differences.forEach(({ difference }, index) => {
      expect(difference).toBeCloseTo(
        plain[0].differences[index].difference - halfOutcome[0].differences[index].difference,
      );
    });
    expect(actual.differences[0].difference).toBeCloseTo(0.97 / 2, 3);
    expect(outcomesOf([growth], { findings: file, arms: shortcut.arms })).toEqual([]);
  });

  test('an outcome can compare arms of two experiments if the other sides are numbers', () => {
    const across = paired({
      ...{ higher: 0, lower: side('grpo-or'), of: TOOL },
      less: { higher: 0, lower: side('mt-grpo'), in: 'open' },
    });
    const half = { ...file, runs: file.runs.map((run) => ({ ...run, series: halved(run.series) })) };
    const elsewhere = () => ({ ...half, arms: shortcut.arms });
    const [actual] = outcomesOf([across], { findings: file, arms: shortcut.arms, elsewhere }) as PairedOutcome[];
    const of = (rule: string, from: typeof file) =>
      (outcomes([paired({ higher: side(rule), lower: 0, of: TOOL })], from)[0] as PairedOutcome).differences;
    const [there, here] = [of('mt-grpo', half), of('grpo-or', file)];
    actual.differences.forEach(({ difference }, index) => {
      expect(difference).toBeCloseTo(there[index].difference - here[index].difference, 12);
    });
    expect(actual.differences[0].difference).toBeGreaterThan(0.2);
    expect(outcomesOf([across], { findings: file, arms: shortcut.arms })).toEqual([]);
  });

  test('an outcome in updates to a level counts all updates if the level is never reached', () => {
    const early = paired({
      higher: side('mt-grpo'),
      lower: side('grpo-or'),
      of: { curve: 'answer', within: 0.8 },
      unit: 'updates',
    });
    // The mean of GRPO-OR over its first updates reaches the level. MT-GRPO never reaches it.
    expect(new Set(differences(early))).toEqual(new Set([119]));
  });

  test('an outcome can count the seeds that satisfy a condition', () => {
    const counted = (below: number): ClaimTest => ({
      ...{ kind: 'seeds', rule: 'grpo-or', statement: 'it falls', share: 0.5, ends: { toolUse: { below } } },
    });
    const results = outcomes([counted(0.05), counted(0.0107), counted(0)]) as CountedOutcome[];
    expect(results.map(({ counts: [{ count, of }], judgement: { status } }) => [count, of, status])).toEqual([
      [10, 10, 'holds'],
      [6, 10, 'open'],
      [0, 10, 'reverse'],
    ]);
  });

  test('an outcome can pool counts over all seeds', () => {
    const runs = file.runs.map((run) => ({ ...run, heldOut: { lost: 0.1, easy: 50 } }));
    const lost = (minimum: number): ClaimTest => ({
      ...{ kind: 'pooled', rule: 'grpo-or', statement: 'it loses', share: 'lost', outOf: 'easy', above: 0.01, minimum },
    });
    const results = outcomes([lost(300), lost(501)], { ...file, runs }) as CountedOutcome[];
    expect(
      results.map(({ counts: [{ count, of }], judgement: { status, reason } }) => [count, of, status, reason]),
    ).toEqual([
      [50, 500, 'holds', undefined],
      [50, 500, 'open', '500 of the 501 that it takes'],
    ]);
    // A seed without items counts, and a seed without a measured share is missing.
    const measured = (heldOut: Record<string, number>) =>
      outcomes([lost(100)], {
        ...file,
        runs: runs.map((run) => (run.seed === 3 ? { ...run, heldOut } : run)),
      }) as CountedOutcome[];
    expect(measured({ easy: 0 })[0]).toMatchObject({
      counts: [{ count: 45, of: 450 }],
      judgement: { status: 'holds' },
    });
    expect(measured({ easy: 50 })[0]).toMatchObject({ incomplete: true, judgement: { reason: '9 of 10 seeds' } });
  });
});
