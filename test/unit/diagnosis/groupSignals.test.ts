import { describe, expect, test } from 'vitest';
import { GROUP_SORTS, type GroupSignals, mostTelling, sortedGroups } from '../../../src/diagnosis/groupSignals.ts';
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

describe('groups', () => {
  test.each([
    ['file', [0, 1, 2, 3, 4]],
    ['disagreement', [2, 1, 3, 4, 0]],
    ['spread', [1, 3, 2, 0, 4]],
    ['ties', [0, 4, 1, 2, 3]],
  ] as const)('are sorted by %s; equal groups keep the order of the file', (sort, expected) => {
    expect(sortedGroups(GROUPS, sort)).toEqual(expected);
  });

  test('have an index in every order', () => {
    for (const sort of GROUP_SORTS) expect([...sortedGroups(GROUPS, sort)].sort()).toEqual([0, 1, 2, 3, 4]);
  });
});

test('the most telling group is the first one by disagreement, and the earliest of equal groups', () => {
  expect(mostTelling(GROUPS)).toBe(2);
  expect(mostTelling([GROUPS[0], GROUPS[1], GROUPS[3]])).toBe(1);
  expect(mostTelling([GROUPS[0]])).toBe(0);
  expect(mostTelling([])).toBe(0);
});

describe('the doctor', () => {
  const groups = creditCases('rtmc').map(({ group }, index) => ({ ...group, id: `g${index}` }));

  test('lists the most telling group first, and names the compared rules', () => {
    const diagnosis = new RunDiagnosis();
    const all = groups.map((group) => diagnosis.see(group));
    const [first] = diagnosis.result().groupsToRead;
    expect(first.id).toBe(groups[mostTelling(all)].id);
    expect(first.signals.opposed).toBeGreaterThan(0);
    expect(first.signals.rules).toEqual(['grpo-or', 'rtmc']);
  });

  test('compares two rules in every group of a large log', () => {
    const diagnosis = new RunDiagnosis();
    for (let index = 0; index < 1001; index++) diagnosis.see({ id: `s${index}`, turns: [] });
    const telling = groups[mostTelling(groups.map((group) => new RunDiagnosis().see(group)))];
    expect(diagnosis.see(telling)).toEqual(new RunDiagnosis().see(telling));
    expect(diagnosis.result().groupsToRead[0].id).toBe(telling.id);
  });

  test('compares all rules beside a group without turns', () => {
    const diagnosis = new RunDiagnosis();
    expect(diagnosis.see({ id: 'empty', turns: [] })).toMatchObject({ tie: 'none has a reward', opposed: 0 });
    diagnosis.see(syntheticGroup('a', 1, [answer(0), answer(1)]));
    expect(diagnosis.result().rules.flat()).toContain('grpo-or');
  });
});
