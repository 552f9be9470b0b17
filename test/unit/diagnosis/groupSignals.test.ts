import { describe, expect, test } from 'vitest';
import { firstToRead, GROUP_SORTS, type GroupSignals, sortedGroups } from '../../../src/diagnosis/diagnosis.ts';
import { RunDiagnosis } from '../../../src/diagnosis/runDiagnosis.ts';
import { creditCases } from '../../vectorFile.ts';
import { answer, syntheticGroup } from './synthetic.ts';

const signals = (deviation: number, opposed = 0, tie?: GroupSignals['tie']): GroupSignals => ({
  ...{ deviation, opposed, tie, rules: [] },
});
const GROUPS = [
  signals(0, 0, 'all solved'),
  signals(0.5, 0.25),
  signals(0.25, 0.5),
  signals(0.5, 0.25),
  signals(0, 0.75, 'all failed'),
];

describe('sortedGroups', () => {
  test.each([
    ['file', [0, 1, 2, 3, 4]],
    ['disagreement', [2, 1, 3, 4, 0]],
    ['deviation', [1, 3, 2, 0, 4]],
    ['ties', [0, 4, 1, 2, 3]],
  ] as const)('groups are sorted by %s; equal groups keep the order of the file', (sort, expected) => {
    expect(sortedGroups(GROUPS, sort)).toEqual(expected);
  });

  test('each sort order contains each group exactly once', () => {
    for (const sort of GROUP_SORTS) expect([...sortedGroups(GROUPS, sort)].sort()).toEqual([0, 1, 2, 3, 4]);
  });
});

test('the first group to read has the most disagreement, and is the earliest of equal groups', () => {
  expect(firstToRead(GROUPS)).toBe(2);
  expect(firstToRead([GROUPS[0], GROUPS[1], GROUPS[3]])).toBe(1);
  expect(firstToRead([GROUPS[0]])).toBe(0);
  expect(firstToRead([])).toBe(0);
});

describe('RunDiagnosis', () => {
  const groups = creditCases('rtmc').map(({ group }, index) => ({ ...group, id: `g${index}` }));

  test('a diagnosis lists the first group to read at the top, with the compared rules', () => {
    const diagnosis = new RunDiagnosis();
    const all = groups.map((group) => diagnosis.see(group));
    const [first] = diagnosis.result().groupsToRead;
    expect(first.id).toBe(groups[firstToRead(all)].id);
    expect(first.signals.opposed).toBeGreaterThan(0);
    expect(first.signals.rules).toEqual(['grpo-or', 'rtmc']);
  });

  test('a diagnosis compares two rules in each group of a large log', () => {
    const diagnosis = new RunDiagnosis();
    for (let index = 0; index < 1001; index++) diagnosis.see({ id: `s${index}`, turns: [] });
    const opposed = groups[firstToRead(groups.map((group) => new RunDiagnosis().see(group)))];
    expect(diagnosis.see(opposed)).toEqual(new RunDiagnosis().see(opposed));
    expect(diagnosis.result().groupsToRead[0].id).toBe(opposed.id);
  });

  test('a diagnosis compares all rules if one group of the log has no turns', () => {
    const diagnosis = new RunDiagnosis();
    expect(diagnosis.see({ id: 'empty', turns: [] })).toMatchObject({ tie: 'none has a reward', opposed: 0 });
    diagnosis.see(syntheticGroup('a', 1, [answer(0), answer(1)]));
    expect(diagnosis.result().rules.flat()).toContain('grpo-or');
  });
});
