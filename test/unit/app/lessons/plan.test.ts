import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Exercise } from '../../../../src/app/lessons/exercises/exercise.ts';
import { createFrom, planLesson } from '../../../../src/app/lessons/exercises/plan.ts';
import { attemptsOf } from '../../../../src/environments/watchedTurns.ts';
import { type AttemptKind, attemptsFor, isOfKind } from '../../../../src/lessons/groupCondition.ts';
import { readLessons } from '../../../../src/lessons/lessonFiles.ts';
import type { GroupView } from '../../../../src/training/data/protocol.ts';
import { root } from '../../../files.ts';
import { recordedGroups } from '../../lessons/recordedGroups.ts';
import { numbersOf } from './exerciseFixture.ts';

const lessons = readLessons(join(root, 'lessons'));
const lessonOf = (name: string) => {
  const lesson = lessons.find((candidate) => candidate.name === name);
  if (!lesson) throw new Error(`no lesson ${name}`);
  return lesson;
};

/** Creates the first exercise and the first formula of a lesson. */
function plan(name: string, groups: readonly GroupView[] = recordedGroups(name)) {
  const { exercises, formulas } = planLesson(lessonOf(name), () => ({ groups, controls: {} }));
  const [exercise, formula] = [exercises[0], formulas[0]];
  if (!exercise?.content?.group || !formula) throw new Error(`lesson ${name} has no exercise or formula`);
  const { content } = exercise;
  return { exercise, content, group: content.group as GroupView, formula };
}

const marked = ({ rows }: Exercise) => rows.filter((row) => row.isQuestion).map(({ cells }) => cells.slice(1));
const hasKind = (group: GroupView, kind: AttemptKind) =>
  attemptsOf(group.forest).some((attempt) => isOfKind(attempt, kind));

describe('lesson 2', () => {
  const { exercise, content, group, formula } = plan('tool-dies');

  test('lesson 2: the exercise uses a later group with a search at 0.2 and a skipped search at 1', () => {
    expect(exercise.isComplete).toBe(true);
    expect(group.step).toBeGreaterThanOrEqual(20);
    expect(hasKind(group, { first: 'searched', outcome: 0.2 })).toBe(true);
    expect(hasKind(group, { first: 'skipped', outcome: 1 })).toBe(true);
  });

  test('lesson 2: the exercise asks about a search with a negative advantage and a skipped search', () => {
    expect(marked(content).sort()).toEqual([
      ['no', '+1.00'],
      ['yes', '+0.20'],
    ]);
    const [searched, , skipped] = numbersOf(content.questions);
    expect(searched).toBeLessThan(0);
    expect(skipped).toBeGreaterThan(0);
  });

  test('lesson 2: the formula uses another group that meets the condition', () => {
    expect(formula.isComplete).toBe(true);
    expect(formula.content?.caption).not.toContain(`Update ${group.step + 1} of`);
    expect(formula.content?.rows).toHaveLength(8);
  });

  test('lesson 2: the exercise uses the nearest group, marked as incomplete, if no group meets the condition', () => {
    const early = recordedGroups('tool-dies').filter(({ step }) => step < 20);
    const nearest = plan('tool-dies', early);
    expect(nearest.exercise.isComplete).toBe(false);
    const [{ group: condition }] = lessonOf('tool-dies').exercises;
    expect(attemptsFor(nearest.group.forest, condition)).toHaveLength(2);
  });

  test('lesson 2: the formula has no group if the exercise uses the only suitable group', () => {
    const only = plan('tool-dies', [group]);
    expect(only.group).toBe(group);
    expect(only.formula.content).toBeUndefined();
  });
});

test('lesson 3: the exercise asks about an attempt with a search and an attempt without a search', () => {
  const { exercise, content, group, formula } = plan('pay-each-turn');
  expect(exercise.isComplete).toBe(true);
  expect(
    marked(content)
      .map(([searched]) => searched)
      .sort(),
  ).toEqual(['no', 'yes']);
  expect(formula.isComplete).toBe(true);
  expect(formula.content?.caption).not.toContain(`Update ${group.step + 1} of`);
});

test('lesson 9: the exercise has a key with its prize, a bait and an idle turn, and asks about the key', () => {
  const { exercise, content, group, formula } = plan('true-worth');
  expect(exercise.isComplete).toBe(true);
  for (const first of ['key', 'bait', 'nothing']) expect(hasKind(group, { first }), first).toBe(true);
  const marked = attemptsOf(group.forest)[content.rows.findIndex((row) => row.isQuestion)];
  expect(marked && isOfKind(marked, { first: 'key', outcome: 1 })).toBe(true);
  expect(formula.isComplete).toBe(true);
  expect(formula.content?.caption).not.toContain(`Update ${group.step + 1} of`);
});

describe('createFrom', () => {
  const groups = recordedGroups('tool-dies');
  const condition = { from: 20, has: [{ first: 'skipped', outcome: 1 }] };

  test('createFrom omits groups before the first allowed update if a later group is suitable', () => {
    const { content, isComplete } = createFrom(groups, condition, (some) => (some.length > 0 ? some : undefined));
    expect(isComplete).toBe(true);
    expect(Math.min(...(content ?? []).map(({ step }) => step))).toBeGreaterThanOrEqual(20);
  });

  test('createFrom returns no content if no group is suitable', () => {
    expect(createFrom(groups, condition, () => undefined)).toEqual({ content: undefined, isComplete: true });
  });
});
