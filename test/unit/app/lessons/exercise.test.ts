import { describe, expect, test } from 'vitest';
import { checkAnswer, questionsOf, tableOf } from '../../../../src/app/lessons/exerciseOf.ts';
import { groupOf } from '../appFixtures.ts';

describe('an exercise', () => {
  // Outcomes 1 and .2: mean .6, deviation (n − 1) sqrt(2 · .16) = .5657, so ±.4 / .5657 = ±.7071.
  test('asks for both turns of the best try and the first turn of the worst', () => {
    const questions = questionsOf(groupOf(), 'grpo-or');
    expect(questions.map(({ rollout, turn, forestTurn }) => [rollout, turn, forestTurn])).toEqual([
      [0, 0, 0],
      [0, 1, 1],
      [1, 0, 2],
    ]);
    for (const [index, wanted] of [Math.SQRT1_2, Math.SQRT1_2, -Math.SQRT1_2].entries())
      expect(questions[index]?.advantage).toBeCloseTo(wanted, 4);
  });

  // Turn rewards .5 and −.2 are as far apart in deviations, so turn 1 has twice as much.
  test('under MT-GRPO has another number for each turn', () => {
    const numbers = questionsOf(groupOf(), 'mt-grpo').map(({ advantage }) => advantage);
    expect(numbers.map((number) => number.toFixed(3))).toEqual(['1.414', '0.707', '-1.414']);
  });

  test('shows the numbers that are needed, and gives mean and deviation as a hint', () => {
    const { rows, given } = tableOf(groupOf(), 'mt-grpo');
    expect(rows).toEqual([
      { searched: true, first: '+0.50', outcome: '+1.00' },
      { searched: false, first: '−0.20', outcome: '+0.20' },
    ]);
    expect(given).toEqual([
      { column: 'first', mean: '0.15', deviation: '0.495' },
      { column: 'outcome', mean: '0.6', deviation: '0.566' },
    ]);
  });

  test('says nothing of turn 1 where its rule does not pay it', () => {
    const { rows, given } = tableOf(groupOf(), 'grpo-or');
    expect(rows[0]).toEqual({ searched: true, outcome: '+1.00' });
    expect(given.map(({ column }) => column)).toEqual(['outcome']);
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
  ] as const)('%j is %s', (text, check) => expect(checkAnswer(text, Math.SQRT1_2)).toBe(check));
});
