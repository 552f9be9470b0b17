import { describe, expect, test } from 'vitest';
import { type ClaimTest, side } from '../../../../src/environments/claim.ts';
import { outcomesOf, type PairedOutcome } from '../../../../src/experiments/claims/outcome.ts';
import type { Findings } from '../../../../src/experiments/compare/findings.ts';
import { allRuns, experimentOf, fileOf, searchRun } from '../../cli/lab/madeUp.ts';

const shortcut = experimentOf('t1');
const file = fileOf(shortcut, allRuns(shortcut));
const outcomes = (tests: readonly ClaimTest[], findings: Findings = file, seeds = shortcut.seeds) =>
  outcomesOf(tests, findings, shortcut.arms, seeds);
const paired = (parts: object): ClaimTest =>
  ({ kind: 'paired', statement: 's', asks: 'more', margin: 0.1, ...parts }) as ClaimTest;
const TOOL = { end: 'toolUse' };
const halved = (series: Findings['runs'][number]['series']) =>
  Object.fromEntries(Object.entries(series).map(([name, values]) => [name, values.map((value) => value && value / 2)]));

describe('the outcome of two arms', () => {
  const test1 = paired({ higher: side('mt-grpo'), lower: side('grpo-mr'), of: TOOL });
  const [one] = outcomes([test1]) as PairedOutcome[];

  test('has a difference for every seed, in its world', () => {
    expect(one.differences.map(({ seed, world }) => [seed, world])).toEqual(
      Array.from({ length: 10 }, (_, index) => [index + 1, index % 5]),
    );
    for (const { difference } of one.differences) expect(difference).toBeCloseTo(0.97, 10);
    expect([one.higher, one.lower, one.judgement.status, one.improvement]).toEqual([
      'mt-grpo',
      'grpo-mr',
      'appears',
      1,
    ]);
    expect([one.iqm.mean, one.iqm.low, one.iqm.high]).toEqual(Array(3).fill(expect.closeTo(0.97)));
  });

  test('tells the spread between worlds from that within', () => {
    const runs = shortcut.seeds.flatMap((seed) => [
      searchRun(shortcut, 'mt-grpo', seed, [0.5 + ((seed - 1) % 5) / 10, 0.5, 0.5]),
      searchRun(shortcut, 'grpo-mr', seed, [0, 0.5, 0.5]),
    ]);
    const [apart] = outcomes([test1], fileOf(shortcut, runs)) as PairedOutcome[];
    expect(apart.spread.within).toBeCloseTo(0);
    // The deviation of .5, .6, .7, .8, .9.
    expect(apart.spread.between).toBeCloseTo(Math.sqrt(0.025));
  });

  test('has a bootstrap interval also where every world has one seed', () => {
    const runs = [1, 2, 3, 4, 5].flatMap((seed) => [
      searchRun(shortcut, 'mt-grpo', seed, [0.5 + seed / 10, 0.5, 0.5]),
      searchRun(shortcut, 'grpo-mr', seed, [0, 0.5, 0.5]),
    ]);
    const [{ iqm }] = outcomes([test1], fileOf(shortcut, runs)) as PairedOutcome[];
    expect(iqm.mean).toBeCloseTo(0.8);
    // Of .6 to 1.0, drawn together; the middle three of five count.
    expect([iqm.low > 0.6, iqm.low < 0.75, iqm.high > 0.85, iqm.high < 1]).toEqual(Array(4).fill(true));
  });

  test('is about the seeds that both arms have, and that were asked for', () => {
    const some = { ...file, runs: file.runs.filter(({ arm, seed }) => arm.name !== 'grpo-mr' || seed > 4) };
    const seedsOf = (asked: readonly number[]) =>
      (outcomes([test1], some, asked) as PairedOutcome[]).flatMap((each) => each.differences.map(({ seed }) => seed));
    expect(seedsOf(shortcut.seeds)).toEqual([5, 6, 7, 8, 9, 10]);
    expect(seedsOf([1, 2, 5])).toEqual([5]);
    expect(seedsOf([1, 2])).toEqual([]);
  });
});

describe('other outcomes', () => {
  const differences = (test: ClaimTest) =>
    (outcomes([test]) as PairedOutcome[]).flatMap((one) => one.differences.map(({ difference }) => difference));

  test('of an arm against itself: where a curve began less where it ends', () => {
    const falls = paired({ higher: side('grpo-or'), lower: side('grpo-or'), of: { start: 'toolUse' }, lowerOf: TOOL });
    differences(falls).forEach((found, index) => {
      expect(found).toBeCloseTo(0.5 - 0.01 - (index + 1) / 1e4, 10);
    });
  });

  test('of a number against an arm', () => {
    const below = paired({ higher: 0.25, lower: side('grpo-or'), of: TOOL });
    expect(differences(below)[0]).toBeCloseTo(0.25 - 0.0101, 10);
    expect((outcomes([below]) as PairedOutcome[])[0].improvement).toBe(1);
  });

  test('of a difference of differences', () => {
    const edge = paired({
      ...{ higher: side('mt-grpo'), lower: side('grpo-mr'), of: TOOL },
      less: { higher: side('mt-ppo'), lower: side('ppo-mr') },
    });
    for (const found of differences(edge)) expect(found).toBeCloseTo(0.97 - 0.79, 10);
  });

  test('of a difference of differences of two numbers of the same arms', () => {
    const both = { higher: side('mt-grpo'), lower: side('grpo-mr') };
    const edge = paired({ ...both, of: TOOL, less: both, lessOf: { measured: 'answer' } });
    const [tool, answer] = [paired({ ...both, of: TOOL }), paired({ ...both, of: { measured: 'answer' } })].map(
      differences,
    );
    expect(differences(edge)).toHaveLength(tool.length);
    differences(edge).forEach((found, index) => {
      expect(found).toBeCloseTo(tool[index] - answer[index], 12);
    });
    expect(tool[0]).not.toBeCloseTo(answer[0], 3);
  });

  test('of a difference of differences with another experiment, seed by seed, and nothing where that is not there', () => {
    const gain = { higher: side('mt-grpo'), lower: side('grpo-mr') };
    const growth = paired({ ...gain, of: TOOL, less: { ...gain, in: 'open' } });
    const half = { ...file, runs: file.runs.map((run) => ({ ...run, series: halved(run.series) })) };
    const elsewhere = (name: string) => (name === 'open' ? { ...half, arms: shortcut.arms } : undefined);
    const [found] = outcomesOf([growth], file, shortcut.arms, shortcut.seeds, elsewhere) as PairedOutcome[];
    const [plain, other] = [file, half].map((from) => outcomes([paired({ ...gain, of: TOOL })], from)) as [
      [PairedOutcome],
      [PairedOutcome],
    ];
    found.differences.forEach(({ difference }, index) => {
      expect(difference).toBeCloseTo(plain[0].differences[index].difference - other[0].differences[index].difference);
    });
    expect(found.differences[0].difference).toBeCloseTo(0.97 / 2, 3);
    expect(outcomesOf([growth], file, shortcut.arms, shortcut.seeds)).toEqual([]);
  });

  test('of an arm of another experiment against one of this one, by numbers in the place of the others', () => {
    const across = paired({
      ...{ higher: 0, lower: side('grpo-or'), of: TOOL },
      less: { higher: 0, lower: side('mt-grpo'), in: 'open' },
    });
    const half = { ...file, runs: file.runs.map((run) => ({ ...run, series: halved(run.series) })) };
    const elsewhere = () => ({ ...half, arms: shortcut.arms });
    const [found] = outcomesOf([across], file, shortcut.arms, shortcut.seeds, elsewhere) as PairedOutcome[];
    const of = (rule: string, from: typeof file) =>
      (outcomes([paired({ higher: side(rule), lower: 0, of: TOOL })], from)[0] as PairedOutcome).differences;
    const [there, here] = [of('mt-grpo', half), of('grpo-or', file)];
    found.differences.forEach(({ difference }, index) => {
      expect(difference).toBeCloseTo(there[index].difference - here[index].difference, 12);
    });
    expect(found.differences[0].difference).toBeGreaterThan(0.2);
    expect(outcomesOf([across], file, shortcut.arms, shortcut.seeds)).toEqual([]);
  });

  test('of updates to a level: all of them where it is never reached', () => {
    const sooner = paired({
      higher: side('mt-grpo'),
      lower: side('grpo-or'),
      of: { curve: 'answer', within: 0.8 },
      unit: 'updates',
    });
    // GRPO-OR has the level in the mean over its first neighbours; MT-GRPO never has it.
    expect(new Set(differences(sooner))).toEqual(new Set([119]));
  });

  test('of seeds that are counted', () => {
    const counted = (below: number): ClaimTest => ({
      ...{ kind: 'seeds', rule: 'grpo-or', statement: 'it falls', share: 9 / 10, ends: { toolUse: { below } } },
    });
    expect(outcomes([counted(0.05), counted(0.0107)])).toEqual([
      { kind: 'counted', statement: 'it falls', found: '10 of 10 seeds, 9 needed', status: 'appears' },
      { kind: 'counted', statement: 'it falls', found: '6 of 10 seeds, 9 needed', status: 'does not appear' },
    ]);
  });
});
