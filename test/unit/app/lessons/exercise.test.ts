import { describe, expect, test } from 'vitest';
import { checkAnswer } from '../../../../src/app/lessons/exercises/task.ts';
import { findExerciseGroup, taskOf } from '../../../../src/app/lessons/exercises/tasks.ts';
import { findRule } from '../../../../src/credit/rules.ts';
import { ANY_GROUP } from '../../../../src/lessons/groupCondition.ts';
import type { LessonExercise } from '../../../../src/lessons/lesson.ts';
import type { Group, Turn } from '../../../../src/rollouts/forest.ts';
import { groupOf } from '../appFixtures.ts';

const exercise = (kind: LessonExercise['kind'], rule: string, overrides: Partial<LessonExercise> = {}) => ({
  ...{ kind, rule, run: 'end', parameters: {}, against: '', group: ANY_GROUP, text: '' },
  ...overrides,
});
const answers = (task: ReturnType<typeof taskOf>) => task.questions.map(({ answer }) => answer);

/** Returns a forest of programs, each with the index of its parent turn and its test results as digits. */
function programs(...list: readonly (readonly [parent: number, passed: string])[]): Group {
  const continued = new Set(list.map(([parent]) => parent));
  const turns = list.map(([parent, text], index): Turn => {
    const passed = [...text].map(Number);
    const solved = passed.every(Boolean);
    const outcome = continued.has(index) ? {} : { outcome: Number(solved) };
    return {
      parent,
      reward: passed.reduce((sum, value) => sum + value, 0) / passed.length,
      passed,
      solved,
      ...outcome,
    };
  });
  return { id: 'programs', turns };
}

describe('advantages by hand', () => {
  // Outcomes 1 and .2: mean .6, deviation (n − 1) sqrt(2 · .16) = .5657, so ±.4 / .5657 = ±.7071.
  test('an exercise on advantages asks about the turns of the best attempt and the first turn of the worst', () => {
    const task = taskOf(groupOf(), exercise('advantages', 'grpo-or'));
    expect(task.questions.map(({ turn }) => turn)).toEqual([0, 1, 2]);
    for (const [index, expected] of [Math.SQRT1_2, Math.SQRT1_2, -Math.SQRT1_2].entries())
      expect(task.questions[index]?.answer).toBeCloseTo(expected, 4);
  });

  // In standard deviations, the turn rewards .5 and −.2 are as far apart as the outcomes. Turn 1 therefore has twice
  // the advantage.
  test('an exercise on MT-GRPO has an advantage for each turn, with the columns of turn rewards and outcomes', () => {
    const task = taskOf(groupOf(), exercise('advantages', 'mt-grpo'));
    expect(answers(task).map((number) => number.toFixed(3))).toEqual(['1.414', '0.707', '-1.414']);
    expect(task.rows).toEqual([
      { name: '1', cells: ['yes', '+0.50', '+1.00'], isQuestion: true },
      { name: '2', cells: ['no', '−0.20', '+0.20'], isQuestion: true },
    ]);
    expect(task.hint.slice(1)).toEqual([
      'Reward of turn 1: mean 0.15, standard deviation 0.495.',
      'Outcome reward: mean 0.6, standard deviation 0.566.',
    ]);
  });

  // Sums 1.5 and 0: mean .75, deviation 1.0607.
  test('an exercise on GRPO-MR has advantages of the summed rewards, which the user adds up', () => {
    const task = taskOf(groupOf(), exercise('advantages', 'grpo-mr'));
    expect(answers(task).map((number) => number.toFixed(3))).toEqual(['0.707', '0.707', '-0.707']);
    expect(task.columns).toEqual(['Attempt', 'Searched?', 'Reward of turn 1', 'Outcome reward']);
    expect(task.hint.at(-1)).toBe('Sum of both columns: mean 0.75, standard deviation 1.061.');
  });

  test('an exercise on advantages omits the rewards of turn 1 if the rule does not use them', () => {
    const task = taskOf(groupOf(), exercise('advantages', 'grpo-or'));
    expect(task.rows[0]).toEqual({ name: '1', cells: ['yes', '+1.00'], isQuestion: true });
    expect(task.hint).toHaveLength(2);
  });
});

test('an exercise on signs asks about a turn with different signs under two rules, then about a differing turn', () => {
  // All attempts have equal outcomes, but their first programs pass different tests.
  const forest = programs([-1, '1100'], [0, '1111'], [-1, '1110'], [2, '1111'], [-1, '1000'], [4, '1111']);
  const group = groupOf({ forest });
  const createExercise = exercise('sign', 'verpo', { against: 'grpo-mt' });
  const task = taskOf(group, createExercise);
  const [verpo, outcome] = ['verpo', 'grpo-mt'].map((rule) => findRule(rule).credit(forest, {}).advantage);
  expect([...(outcome ?? [])]).toEqual([0, 0, 0, 0, 0, 0]);
  expect(task.questions).toHaveLength(4);
  for (const { answer, turn, rule, options } of task.questions) {
    const advantage = (rule === 'verpo' ? verpo : outcome)?.[turn] ?? Number.NaN;
    expect(options?.[answer]).toBe(
      Math.abs(advantage) < 1e-9 ? 'neither' : advantage > 0 ? 'more likely' : 'less likely',
    );
  }
  expect(task.rows[0]?.cells).toEqual(['2 of 4', '4']);
  // The exercise prefers a group with different signs. A group with only one turn is not suitable.
  expect(findExerciseGroup([groupOf({ forest: programs([-1, '11'], [-1, '11']) })], createExercise)).toBeDefined();
  expect(findExerciseGroup([group, groupOf({ forest: programs([-1, '11'], [-1, '11']) })], createExercise)).toBe(group);
  expect(findExerciseGroup([groupOf({ forest: programs([-1, '11']) })], createExercise)).toBeUndefined();
});

test('if one rule lowers all first turns, the second question has another sign under the other rule', () => {
  // Nine of ten attempts are repaired. A repaired attempt therefore has a small advantage for its outcome, and its
  // first program has a reward below the mean.
  const attempts = Array.from({ length: 10 }, (_, at): [number, string][] => [
    [-1, '1100'],
    [2 * at, at === 7 ? '1100' : '1111'],
  ]);
  const forest = programs(...attempts.flat());
  const task = taskOf(groupOf({ forest }), exercise('sign', 'verpo', { against: 'grpo-mt' }));
  const correct = task.questions.map(({ turn, options, answer }) => [turn, options?.[answer]]);
  expect(correct).toEqual([
    [0, 'less likely'],
    [0, 'more likely'],
    [14, 'less likely'],
    [14, 'less likely'],
  ]);
});

describe('exercises on tokens and a critic', () => {
  const { forest, rollouts, ...rest } = groupOf();
  const values = [[0.5, 0.7], [0.9], [0.4], [0.1]];
  const valued = {
    ...rest,
    rollouts,
    forest: { ...forest, turns: forest.turns.map((turn, at) => ({ ...turn, values: values[at] })) },
  };
  const createExercise = (lambda: number) => exercise('critic', 'mt-ppo', { parameters: { lambda } });

  // The first token of <search> </search> is the decision. The second token has the reward .5, and <answer> has the
  // reward 1.
  test('an exercise on a critic with λ = 0 uses only the next token', () => {
    const task = taskOf(valued, createExercise(0));
    expect(task.rows.map(({ cells }) => cells)).toEqual([
      ['<search>', '0.500', ''],
      ['</search>', '0.700', '0.500'],
      ['<answer>', '0.900', '1.000'],
    ]);
    for (const [index, expected] of [0.7 - 0.5, 0.5 + 0.9 - 0.7, 1 - 0.9].entries())
      expect(task.questions[index]?.answer).toBeCloseTo(expected, 10);
  });

  test('an exercise on a critic with λ = 1 uses all later rewards', () => {
    for (const [index, expected] of [1.5 - 0.5, 1.5 - 0.7, 1 - 0.9].entries())
      expect(taskOf(valued, createExercise(1)).questions[index]?.answer).toBeCloseTo(expected, 10);
  });

  test('a group without critic values is not suitable for an exercise on a critic', () => {
    expect(findExerciseGroup([groupOf()], createExercise(0))).toBeUndefined();
    expect(findExerciseGroup([valued, groupOf()], createExercise(0))).toBe(valued);
  });
});

// First programs pass .5, .25 and 1 of the tests. The first one is continued to 1 and .5, the second one to .25.
const TREE = programs([-1, '1100'], [-1, '1000'], [-1, '1111'], [0, '1111'], [0, '1100'], [1, '1000']);

test('an exercise on a tree computes the values of first programs from their continuations', () => {
  const best = taskOf(groupOf({ forest: TREE }), exercise('tree', 'murphy-mars'));
  // Values 1, .25 and 1: mean .75, deviation .4330, so −.5 / .4330 = −1.1547.
  expect(answers(best).map((number) => number.toFixed(3))).toEqual(['1.000', '0.250', '-1.155']);
  expect(best.rows.map(({ cells }) => cells)).toEqual([
    ['2 of 4', '4, 2'],
    ['1 of 4', '1'],
    ['4 of 4', '–'],
  ]);
  const mean = taskOf(groupOf({ forest: TREE }), exercise('tree', 'murphy-mers'));
  // (.5 + .9 · .75) / 2 and (.25 + .9 · .25) / 2.
  expect(mean.questions[0]?.answer).toBeCloseTo(0.5875, 10);
  expect(mean.questions[1]?.answer).toBeCloseTo(0.2375, 10);
  expect(
    findExerciseGroup([groupOf({ forest: programs([-1, '11'], [-1, '10']) })], exercise('tree', 'murphy-mars')),
  ).toBeUndefined();
});

test('an exercise on tests has a pass rate, the reward of a partly correct program, and its advantage', () => {
  const forest = programs([-1, '1100'], [0, '1111'], [-1, '1010'], [2, '1000']);
  const task = taskOf(groupOf({ forest }), exercise('tests', 'verpo'));
  const { intermediate, advantage } = findRule('verpo').credit(forest, {});
  const [rate, reward, credit] = answers(task);
  // Program 1.1 passes two tests. Only programs 1.1 and 1.2 pass the second one.
  expect(task.questions[0]?.label).toBe('Share of the programs that pass test 2');
  expect(rate).toBe(0.5);
  expect(reward).toBeCloseTo((intermediate.weights?.[0] ?? 0) + (intermediate.weights?.[1] ?? 0), 10);
  expect(credit).toBe(advantage[0]);
  const numbers = [...(task.hint[1]?.matchAll(/\d\.?\d*/g) ?? [])].map(([number]) => Number(number));
  const [mean = 0, end = 0, ends = 0] = numbers;
  expect((reward ?? 0) - mean + end - ends).toBeCloseTo(credit ?? 0, 2);
  expect(task.columns.at(-1)).toBe('Does 1.1 pass it?');
  expect(task.rows.map(({ cells }) => [cells[0], cells[2]])).toEqual([
    ['4 of 4', 'yes'],
    ['2 of 4', 'yes'],
    ['2 of 4', 'no'],
    ['1 of 4', 'no'],
  ]);
});

test.each([
  ['0.71', 'right'],
  ['+.707', 'right'],
  ['0,7', 'near'],
  ['-0.71', 'wrong'],
  ['−0.71', 'wrong'],
  ['', 'empty'],
  ['0.7071 or so', 'empty'],
  ['1e3', 'empty'],
] as const)('the answer %j to a question with the value 0.7071 is %s', (text, check) =>
  expect(checkAnswer(text, { answer: Math.SQRT1_2 })).toBe(check),
);

test.each([
  ['1', 'right'],
  ['0', 'wrong'],
  ['', 'unselected'],
] as const)('the option %j of a question with the right option 1 is %s', (text, check) =>
  expect(checkAnswer(text, { answer: 1, options: ['more likely', 'neither', 'less likely'] })).toBe(check),
);
