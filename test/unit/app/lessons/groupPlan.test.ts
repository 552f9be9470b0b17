import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chooseGroups, planGroups } from '../../../../src/app/lessons/exercises/groupPlan.ts';
import { taskOf } from '../../../../src/app/lessons/exercises/tasks.ts';
import { formulaOf } from '../../../../src/app/lessons/formulas/formulaOf.ts';
import { sheetOf } from '../../../../src/app/lessons/sheets/sheetOf.ts';
import { attemptsOf } from '../../../../src/environments/watchedTurns.ts';
import { attemptsFor, isOfKind } from '../../../../src/lessons/groupCondition.ts';
import { readLessons } from '../../../../src/lessons/lessonFiles.ts';
import type { GroupView } from '../../../../src/training/data/protocol.ts';
import { root } from '../../../files.ts';
import { recordedGroups } from '../../lessons/recordedGroups.ts';

const lessons = readLessons(join(root, 'lessons'), 'en');
const lessonOf = (name: string) => {
  const lesson = lessons.find((candidate) => candidate.name === name);
  if (!lesson) throw new Error(`no lesson ${name}`);
  return lesson;
};
const planOf = (name: string, groups: readonly GroupView[] = recordedGroups(name)) =>
  planGroups(lessonOf(name), () => ({ groups, controls: {} }));
const stepsOf = (groups: readonly GroupView[]) => groups.map(({ step }) => step);

describe('lesson 2', () => {
  const plan = planOf('tool-dies');
  const [exercise] = lessonOf('tool-dies').exercises;
  const [choice] = plan.exercises;
  const group = choice?.groups[0] as GroupView;

  test('lesson 2: the exercise uses a later group with a search at 0.2 and a skipped search at 1', () => {
    expect(choice?.complete).toBe(true);
    expect(group.step).toBeGreaterThanOrEqual(20);
    const attempts = attemptsOf(group.forest);
    expect(attempts.some((attempt) => isOfKind(attempt, { first: 'searched', outcome: 0.2 }))).toBe(true);
    expect(attempts.some((attempt) => isOfKind(attempt, { first: 'skipped', outcome: 1 }))).toBe(true);
  });

  test('lesson 2: the exercise asks about a search with a negative advantage and a skipped search', () => {
    const { rows, questions } = taskOf(group, exercise);
    const marked = rows.filter((row) => row.isQuestion).map(({ cells }) => cells);
    expect(marked).toEqual(
      expect.arrayContaining([
        ['yes', '+0.20'],
        ['no', '+1.00'],
      ]),
    );
    expect(marked).toHaveLength(2);
    const [searched, , skipped] = questions.map(({ answer }) => answer);
    expect(searched).toBeLessThan(0);
    expect(skipped).toBeGreaterThan(0);
  });

  test('lesson 2: the formula uses another group that meets the condition', () => {
    const [formula] = plan.formulas;
    expect(formula?.complete).toBe(true);
    expect(stepsOf(formula?.groups ?? [])).not.toContain(group.step);
    expect(formulaOf('grpo-or', formula?.groups ?? [], {})?.rows).toHaveLength(8);
  });

  test('lesson 2: the exercise uses the nearest group, marked as incomplete, if no group meets the condition', () => {
    const early = recordedGroups('tool-dies').filter(({ step }) => step < 20);
    const [nearest] = planOf('tool-dies', early).exercises;
    expect(nearest?.complete).toBe(false);
    expect(attemptsFor(nearest?.groups[0]?.forest ?? { id: '', turns: [] }, exercise.group)).toHaveLength(2);
  });

  test('lesson 2: the formula has no group if the exercise uses the only suitable group', () => {
    const only = planOf('tool-dies', [group]);
    expect(stepsOf(only.exercises[0]?.groups ?? [])).toEqual([group.step]);
    expect(only.formulas[0]?.groups).toEqual([]);
  });
});

test('lesson 3: the exercise asks about an attempt with a search and an attempt without a search', () => {
  const plan = planOf('pay-each-turn');
  const [choice] = plan.exercises;
  expect(choice?.complete).toBe(true);
  const { rows } = taskOf(choice?.groups[0] as GroupView, lessonOf('pay-each-turn').exercises[0]);
  expect(rows.filter((row) => row.isQuestion).map(({ cells }) => cells[0])).toEqual(
    expect.arrayContaining(['yes', 'no']),
  );
  expect(plan.formulas[0]?.complete).toBe(true);
  expect(stepsOf(plan.formulas[0]?.groups ?? [])).not.toContain(choice?.groups[0]?.step);
});

test('lesson 9: the sheet has a key with its prize, a bait and an idle turn, and asks about the key', () => {
  const { sheets } = lessonOf('true-worth');
  const plan = planOf('true-worth');
  const [choice] = plan.sheets;
  expect(choice?.complete).toBe(true);
  const sheet = sheetOf(sheets[0], choice?.groups ?? [], {});
  const attempts = attemptsOf(sheet?.group?.forest ?? { id: '', turns: [] });
  for (const first of ['key', 'bait', 'nothing'])
    expect(
      attempts.some((attempt) => isOfKind(attempt, { first })),
      first,
    ).toBe(true);
  const marked = attempts[sheet?.rows.findIndex((row) => row.isQuestion) ?? -1];
  expect(marked && isOfKind(marked, { first: 'key', outcome: 1 })).toBe(true);
  expect(plan.formulas[0]?.complete).toBe(true);
  expect(plan.formulas[0]?.groups).not.toContain(sheet?.group);
});

describe('chooseGroups', () => {
  const groups = recordedGroups('tool-dies');
  const condition = { from: 20, has: [{ first: 'skipped', outcome: 1 }] };

  test('chooseGroups omits groups before the first allowed update if a later group is suitable', () => {
    const { groups: chosen, complete } = chooseGroups(groups, condition, (some) => some.length > 0);
    expect(complete).toBe(true);
    expect(Math.min(...stepsOf(chosen))).toBeGreaterThanOrEqual(20);
  });

  test('chooseGroups returns no group if no group is suitable', () => {
    expect(chooseGroups(groups, condition, () => false)).toEqual({ groups: [], complete: true });
  });
});
