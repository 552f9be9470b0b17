import { describe, expect, test } from 'vitest';
import { type Attempt, bestPrograms, passesAll, relabelled } from '../../../../src/training/expertIteration/relabel.ts';

/** A program is one token and the end (9); the prompt of problem t is [1, 20 + t]. */
const attempt = (task: number, program: number, score: number, history: readonly number[] = []): Attempt => {
  const prompt = [1, 20 + task];
  const written = [program, 9];
  return { task, score, written, before: [...prompt, ...history], tokens: [...prompt, ...written] };
};

/**
 * Problem 0: a rollout that repairs its program in the second turn, and one that was solved at once. Problem 1: two
 * rollouts of two turns that never pass all tests. Problem 2: two programs with equal verifier scores.
 */
const ATTEMPTS: readonly Attempt[] = [
  attempt(0, 50, 0.4),
  attempt(0, 51, 1, [50, 7]),
  attempt(0, 52, 1),
  attempt(1, 60, 0.2),
  attempt(1, 61, 0.9, [60, 7]),
  attempt(1, 62, 0),
  attempt(1, 63, 0.5, [62, 7]),
  attempt(2, 70, 0.5),
  attempt(2, 71, 1),
];
/** It likes the wrong first program of problem 0 best. */
const VERIFIED = [0.9, 0.3, 0.6, 0.1, 0.2, 0.8, 0.7, 0.5, 0.5];

const chosen = (...[expert, verified = VERIFIED]: [Parameters<typeof bestPrograms>[2], number[]?]) =>
  [...bestPrograms(ATTEMPTS, verified, expert)].map(([task, { written }]) => [task, written[0]]);

describe('the best program of a problem', () => {
  test('is the program with the highest verifier score of all turns, regardless of the tests', () => {
    expect(chosen('verifier')).toEqual([
      [0, 50],
      [1, 62],
      [2, 70],
    ]);
  });

  test('by tests is the first that passes them all, and a problem without one has none', () => {
    expect(chosen('tests')).toEqual([
      [0, 51],
      [2, 71],
    ]);
    expect(chosen('tests', VERIFIED.toReversed())).toEqual(chosen('tests'));
  });

  test('by tests and then the verifier is a right program if there is one, otherwise the program with the highest verifier score', () => {
    expect(chosen('tests-verifier')).toEqual([
      [0, 52],
      [1, 62],
      [2, 71],
    ]);
    // However sure the verifier is of a wrong program.
    const [wrong, right] = [attempt(3, 80, 0.9), attempt(3, 81, 1)];
    expect(bestPrograms([wrong, right], [1, 0], 'tests-verifier').get(3)).toBe(right);
  });

  test('is the first of several that are as good', () => {
    expect(
      chosen(
        'verifier',
        ATTEMPTS.map(() => 0.5),
      ),
    ).toEqual([
      [0, 50],
      [1, 60],
      [2, 70],
    ]);
    // One unit in the last place of a double is a difference.
    const nearly = VERIFIED.with(8, 0.5 + 2 ** -53 * 2);
    expect(chosen('verifier', nearly)[2]).toEqual([2, 71]);
  });

  test('is right where its score is exactly 1', () => {
    expect(ATTEMPTS.filter(passesAll).map(({ written }) => written[0])).toEqual([51, 52, 71]);
  });
});

describe('relabelled turns', () => {
  test('are everything before a turn, followed by the best program of the problem', () => {
    const examples = relabelled(ATTEMPTS, bestPrograms(ATTEMPTS, VERIFIED, 'tests-verifier'));
    expect(examples.map(({ tokens }) => tokens)).toEqual([
      [1, 20, 52, 9],
      [1, 20, 50, 7, 52, 9],
      // The rollout that was solved at once has one turn, and teaches once.
      [1, 20, 52, 9],
      [1, 21, 62, 9],
      [1, 21, 60, 7, 62, 9],
      [1, 21, 62, 9],
      [1, 21, 62, 7, 62, 9],
      [1, 22, 71, 9],
      [1, 22, 71, 9],
    ]);
  });

  test('weigh the tokens of the program, and none of the tokens before it', () => {
    const [, second] = relabelled(ATTEMPTS, bestPrograms(ATTEMPTS, VERIFIED, 'tests'));
    expect(second).toEqual({ tokens: [1, 20, 50, 7, 51, 9], weights: [0, 0, 0, 0, 1, 1] });
  });

  test('of problems without a best program are omitted', () => {
    const examples = relabelled(ATTEMPTS, bestPrograms(ATTEMPTS, VERIFIED, 'tests'));
    expect(examples.map(({ tokens }) => tokens[1])).toEqual([20, 20, 20, 22, 22]);
    expect(relabelled(ATTEMPTS, new Map())).toEqual([]);
  });
});
