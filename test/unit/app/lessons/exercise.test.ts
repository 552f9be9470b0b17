import { describe, expect, test } from 'vitest';
import { checkAnswer, numberQuestion, type Question } from '../../../../src/app/lessons/exercises/exercise.ts';
import { computeStateValues } from '../../../../src/app/lessons/exercises/stateValues.ts';
import { findRule } from '../../../../src/credit/rules.ts';
import type { LessonExercise } from '../../../../src/lessons/lesson.ts';
import type { Group, Turn } from '../../../../src/rollouts/forest.ts';
import type { GroupView } from '../../../../src/training/data/protocol.ts';
import { groupOf } from '../appFixtures.ts';
import { createExercise, numbersOf, rightOptions, trainedExercise } from './exerciseFixture.ts';

/** Creates an exercise from the first groups that are suitable. */
function create(fields: Partial<LessonExercise>, ...groups: readonly GroupView[]) {
  const exercise = createExercise(fields, ...groups);
  if (!exercise) throw new Error('no group is suitable');
  return exercise;
}

const turnsOf = (questions: readonly Question[]) => questions.map(({ worked }) => worked?.turn);
const cellsOf = ({ rows }: ReturnType<typeof create>) => rows.map(({ cells }) => cells.slice(1));
const rounded = (questions: readonly Question[]) => numbersOf(questions).map((number) => number.toFixed(3));

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
    const { questions, rows, given, task } = create({}, groupOf());
    expect(turnsOf(questions)).toEqual([0, 1, 2]);
    expect(rounded(questions)).toEqual(['0.707', '0.707', '-0.707']);
    expect(task).toBe('r3 e17');
    // The rewards of turn 1 are omitted, because the rule does not use them.
    expect(rows[0]).toEqual({ cells: ['1', 'yes', '+1.00'], isQuestion: true });
    expect(given).toHaveLength(1);
  });

  // In standard deviations, the turn rewards .5 and −.2 are as far apart as the outcomes. Turn 1 therefore has twice
  // the advantage.
  test('an exercise on MT-GRPO has an advantage for each turn, with the columns of turn rewards and outcomes', () => {
    const { questions, rows, given } = create({ rule: 'mt-grpo' }, groupOf());
    expect(rounded(questions)).toEqual(['1.414', '0.707', '-1.414']);
    expect(rows).toEqual([
      { cells: ['1', 'yes', '+0.50', '+1.00'], isQuestion: true },
      { cells: ['2', 'no', '−0.20', '+0.20'], isQuestion: true },
    ]);
    expect(given).toEqual([
      'Reward of turn 1: mean 0.15, standard deviation 0.495.',
      'Outcome reward: mean 0.6, standard deviation 0.566.',
    ]);
  });

  // Sums 1.5 and 0: mean .75, deviation 1.0607.
  test('an exercise on GRPO-MR has advantages of the summed rewards, which the user adds up', () => {
    const { questions, columns, given } = create({ rule: 'grpo-mr' }, groupOf());
    expect(rounded(questions)).toEqual(['0.707', '0.707', '-0.707']);
    expect(columns).toEqual(['Attempt', 'Searched?', 'Reward of turn 1', 'Outcome reward']);
    expect(given).toEqual(['Sum of both columns: mean 0.75, standard deviation 1.061.']);
  });

  test('an exercise names an executed search, even if the reward of an execution is 0', () => {
    const { rollouts, ...rest } = groupOf();
    const unrewarded = rollouts.map((rollout) => ({
      ...rollout,
      turns: rollout.turns.map((turn) => ({ ...turn, components: { executed: 0 } })),
    }));
    expect(cellsOf(create({}, { ...rest, rollouts: unrewarded })).map(([searched]) => searched)).toEqual(['yes', 'no']);
  });
});

test('an exercise on signs asks about a turn with different signs under two rules, then about a differing turn', () => {
  // All attempts have equal outcomes, but their first programs pass different tests.
  const forest = programs([-1, '1100'], [0, '1111'], [-1, '1110'], [2, '1111'], [-1, '1000'], [4, '1111']);
  const group = groupOf({ forest });
  const fields = { kind: 'sign', rule: 'verpo', against: 'grpo-mt' } as const;
  const exercise = create(fields, group);
  const [verpo, outcome] = ['verpo', 'grpo-mt'].map((rule) => findRule(rule).credit(forest, {}).advantage);
  expect([...(outcome ?? [])]).toEqual([0, 0, 0, 0, 0, 0]);
  expect(exercise.questions).toHaveLength(4);
  for (const question of exercise.questions) {
    const { turn = -1, choice } = question.worked ?? {};
    const advantage = (choice?.rule === 'verpo' ? verpo : outcome)?.[turn] ?? Number.NaN;
    const expected = Math.abs(advantage) < 1e-9 ? 'neither' : advantage > 0 ? 'more likely' : 'less likely';
    expect(rightOptions(question)).toEqual([expected]);
  }
  expect(cellsOf(exercise)[0]).toEqual(['2 of 4', '4']);
  // The exercise prefers a group with different signs. A group with only one turn is not suitable.
  const equal = groupOf({ forest: programs([-1, '11'], [-1, '11']) });
  expect(create(fields, equal).group).toBe(equal);
  expect(create(fields, group, equal).group).toBe(group);
  expect(createExercise(fields, groupOf({ forest: programs([-1, '11']) }))).toBeUndefined();
});

test('if one rule lowers all first turns, the second question has another sign under the other rule', () => {
  // Nine of ten attempts are repaired. A repaired attempt therefore has a small advantage for its outcome, and its
  // first program has a reward below the mean.
  const attempts = Array.from({ length: 10 }, (_, at): [number, string][] => [
    [-1, '1100'],
    [2 * at, at === 7 ? '1100' : '1111'],
  ]);
  const group = groupOf({ forest: programs(...attempts.flat()) });
  const { questions } = create({ kind: 'sign', rule: 'verpo', against: 'grpo-mt' }, group);
  expect(questions.map((question) => [question.worked?.turn, ...rightOptions(question)])).toEqual([
    [0, 'less likely'],
    [0, 'more likely'],
    [14, 'less likely'],
    [14, 'less likely'],
  ]);
});

describe('exercises on tokens and a critic', () => {
  const { forest, ...rest } = groupOf();
  const values = [[0.5, 0.7], [0.9], [0.4], [0.1]];
  const turns = forest.turns.map((turn, at) => ({ ...turn, values: values[at] ?? [] }));
  const valued = { ...rest, forest: { ...forest, turns } };
  const fields = (lambda: number) => ({ kind: 'critic', rule: 'mt-ppo', parameters: { lambda } }) as const;

  // The first token of <search> </search> is the decision. The second token has the reward .5, and <answer> has the
  // reward 1. With λ = 0 only the next token counts, with λ = 1 all later rewards.
  test.each([
    [0, [0.7 - 0.5, 0.5 + 0.9 - 0.7, 1 - 0.9]],
    [1, [1.5 - 0.5, 1.5 - 0.7, 1 - 0.9]],
  ])('an exercise on a critic with λ = %i has the advantages of three tokens', (lambda, expected) => {
    const exercise = create(fields(lambda), valued);
    expect(cellsOf(exercise)).toEqual([
      ['<search>', '0.500', ''],
      ['</search>', '0.700', '0.500'],
      ['<answer>', '0.900', '1.000'],
    ]);
    for (const [index, value] of expected.entries())
      expect(numbersOf(exercise.questions)[index]).toBeCloseTo(value, 10);
  });

  test('a group without critic values is not suitable for an exercise on a critic', () => {
    expect(createExercise(fields(0), groupOf())).toBeUndefined();
    expect(create(fields(0), valued, groupOf()).group).toBe(valued);
  });
});

test('an exercise on a tree computes the values of first programs from their continuations', () => {
  // First programs pass .5, .25 and 1 of the tests. The first one is continued to 1 and .5, the second one to .25.
  const tree = groupOf({
    forest: programs([-1, '1100'], [-1, '1000'], [-1, '1111'], [0, '1111'], [0, '1100'], [1, '1000']),
  });
  const best = create({ kind: 'tree', rule: 'murphy-mars' }, tree);
  // Values 1, .25 and 1: mean .75, deviation .4330, so −.5 / .4330 = −1.1547.
  expect(rounded(best.questions)).toEqual(['1.000', '0.250', '-1.155']);
  expect(cellsOf(best)).toEqual([
    ['2 of 4', '4, 2'],
    ['1 of 4', '1'],
    ['4 of 4', '–'],
  ]);
  // (.5 + .9 · .75) / 2 and (.25 + .9 · .25) / 2.
  const mean = numbersOf(create({ kind: 'tree', rule: 'murphy-mers' }, tree).questions);
  expect(mean[0]).toBeCloseTo(0.5875, 10);
  expect(mean[1]).toBeCloseTo(0.2375, 10);
  const flat = groupOf({ forest: programs([-1, '11'], [-1, '10']) });
  expect(createExercise({ kind: 'tree', rule: 'murphy-mars' }, flat)).toBeUndefined();
});

test('an exercise on tests has a pass rate, the reward of a partly correct program, and its advantage', () => {
  const forest = programs([-1, '1100'], [0, '1111'], [-1, '1010'], [2, '1000']);
  const exercise = create({ kind: 'tests', rule: 'verpo' }, groupOf({ forest }));
  const { intermediate, advantage } = findRule('verpo').credit(forest, {});
  const [rate, reward, credit] = numbersOf(exercise.questions);
  // Program 1.1 passes two tests. Only programs 1.1 and 1.2 pass the second one.
  expect(exercise.questions[0]?.label).toBe('Share of the programs that pass test 2');
  expect(rate).toBe(0.5);
  expect(reward).toBeCloseTo((intermediate.weights?.[0] ?? 0) + (intermediate.weights?.[1] ?? 0), 10);
  expect(credit).toBe(advantage[0]);
  const numbers = [...(exercise.given[0]?.matchAll(/\d\.?\d*/g) ?? [])].map(([number]) => Number(number));
  const [mean = 0, end = 0, ends = 0] = numbers;
  expect((reward ?? 0) - mean + end - ends).toBeCloseTo(credit ?? 0, 2);
  expect(exercise.columns.at(-1)).toBe('Does 1.1 pass it?');
  expect(cellsOf(exercise).map(([passing, , passed]) => [passing, passed])).toEqual([
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
  expect(checkAnswer(numberQuestion('', Math.SQRT1_2), [text])).toMatchObject({ check, given: text }),
);

test.each([
  ['1', 'right', 'neither'],
  ['0', 'wrong', 'more likely'],
  ['', 'unselected', ''],
] as const)('the option %j of a question with the right option 1 is %s', (text, check, given) => {
  const options = ['more likely', 'neither', 'less likely'];
  const question: Question = { kind: 'choice', label: '', options, right: [1], several: false };
  expect(checkAnswer(question, [text])).toMatchObject({ check, given });
});

describe('the value of a turn', () => {
  // Four attempts: key and right door 1, key and wrong door 0, nothing and right door .2 twice. V = 1.4 / 4 = .35.
  // After the key, V = .5. Turn 1 with the key has the advantage +.15, and its doors have +.5 and −.5. Turn 1 without
  // the key has −.15.
  const episodes = [
    { first: 'key', second: 'right', outcome: 1 },
    { first: 'key', second: 'wrong', outcome: 0 },
    { first: 'idle', second: 'right', outcome: 0.2 },
    { first: 'idle', second: 'right', outcome: 0.2 },
  ];

  test.each([
    [0, 0.15, 0.5],
    [1, 0.15, -0.5],
    [2, -0.15, 0],
  ])('the turns of attempt %i have the true advantages %f and %f', (index, first, second) => {
    const turnValue = computeStateValues(episodes, episodes[index] ?? { first: '', second: '', outcome: 0 });
    expect(turnValue.first).toBeCloseTo(first, 12);
    expect(turnValue.second).toBeCloseTo(second, 12);
  });

  test('the advantages of both turns add up to the return minus the value of the start', async () => {
    const { rows, questions } = await trainedExercise('bandit-outcome', { kind: 'worth' });
    const [value = Number.NaN, first = Number.NaN, second = Number.NaN] = numbersOf(questions);
    const outcome = Number(rows.find(({ isQuestion }) => isQuestion)?.cells[3]);
    expect(first + second).toBeCloseTo(outcome - value, 9);
  });
});

describe('exercises on tied groups', () => {
  const { forest, rollouts, ...rest } = groupOf({ step: 3 });
  const turns = forest.turns.map((turn) => ('outcome' in turn ? { ...turn, outcome: 1 } : turn));
  const tied = {
    ...{ ...rest, forest: { ...forest, turns } },
    rollouts: rollouts.map((rollout) => ({ ...rollout, outcome: 1 })),
  };

  test('an exercise on tied groups marks the groups whose attempts all have equal rewards', () => {
    const [question] = create({ kind: 'tied' }, tied, groupOf({ step: 9 })).questions;
    expect(rightOptions(question)).toEqual(['A (update 4)']);
    const check = (...given: readonly string[]) => question && checkAnswer(question, given);
    expect(check('0')).toMatchObject({ check: 'right', given: 'A (update 4)' });
    expect(check('1')).toMatchObject({ check: 'wrong', text: '2 marks are wrong.' });
    expect(check()).toMatchObject({ check: 'wrong', text: 'One mark is wrong.' });
  });

  test('an exercise on tied groups does not exist if no group is tied or all groups are tied', () => {
    expect(createExercise({ kind: 'tied' }, groupOf())).toBeUndefined();
    expect(createExercise({ kind: 'tied' }, tied)).toBeUndefined();
    // The rewards of turn 1 are .5 and −.2, so MT-GRPO assigns advantages even if outcomes are equal.
    expect(createExercise({ kind: 'tied', rule: 'mt-grpo' }, tied, groupOf())).toBeUndefined();
  });
});

describe('exercises on reward amounts', () => {
  const begin = { rewardRetrieved: 0.3, rewardFormat: 0.1, searchCost: 0 };
  const createQuestion = async (goal: 'further' | 'once') => {
    const [question] = (await trainedExercise('over-searching', { kind: 'pay', goal, begin })).questions;
    if (question?.kind !== 'blanks') throw new Error('the question has no blanks');
    return question;
  };

  // A second search that finds the answer has the reward .4 − 2 λ, and a first one has .4 − λ. With λ between .2 and
  // .4, only the first one is profitable.
  test.each([
    ['0', true, false],
    ['0,25', false, true],
    ['0.39', false, true],
    ['0.5', false, false],
  ])('a search cost of %s is checked against both goals of an exercise on rewards', async (cost, further, once) => {
    const given = ['0.3', '0.1', cost];
    expect(checkAnswer(await createQuestion('further'), given).check === 'right').toBe(further);
    expect(checkAnswer(await createQuestion('once'), given)).toMatchObject({
      check: once ? 'right' : 'wrong',
      given: `Answer retrieved 0.3, Call well-formed 0.1, Search cost ${cost}`,
    });
  });

  test.each(['much', '', '2'])('the search cost %j is rejected', async (cost) => {
    expect(checkAnswer(await createQuestion('once'), ['0.3', '0.1', cost])).toMatchObject({
      check: 'empty',
      text: 'Search cost has to be a number from 0 to 1.',
    });
  });

  test.each(['further', 'once'] as const)('the solution of an exercise on rewards meets the goal %s', async (goal) => {
    const { derivation, evaluate } = await createQuestion(goal);
    const amounts = derivation?.[0]?.match(/[\d.]*\d/g)?.map(Number) ?? [];
    expect(evaluate?.(amounts).met).toBe(true);
  });
});
