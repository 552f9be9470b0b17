import { describe, expect, test } from 'vitest';
import type { Demonstration } from '../../../../src/environments/environment.ts';
import {
  type Attempt,
  BATCH,
  bestPrograms,
  imitationStage,
  passesAll,
  relabelled,
} from '../../../../src/training/run/imitation.ts';

const examples = (count: number) =>
  Array.from({ length: count }, (_, index): Demonstration => ({ tokens: [1, index], weights: [0, 1] }));
const PLAN = { epochs: 2, learningRate: 1e-3, seed: 3 };

/** Returns the indices of the examples of each step. */
const listTokens = ({ steps, demonstrations }: ReturnType<typeof imitationStage>) =>
  Array.from({ length: steps }, (_, step) => demonstrations(step).map(({ tokens }) => tokens[1]));

test('every example of an imitation stage occurs once per pass, and the passes have different orders', () => {
  const count = 3 * BATCH;
  const stage = imitationStage(examples(count), PLAN);
  expect([stage.steps, stage.batch, stage.learningRate]).toEqual([6, BATCH, 1e-3]);
  const order = listTokens(stage).flat();
  const all = Array.from({ length: count }, (_, index) => index);
  const [first, second] = [order.slice(0, count), order.slice(count)];
  for (const pass of [first, second]) expect(pass.toSorted((a, b) => a - b)).toEqual(all);
  expect(first).not.toEqual(second);
});

test('the order of examples of an imitation stage depends only on the seed', () => {
  const order = (seed: number) => listTokens(imitationStage(examples(BATCH + 1), { ...PLAN, seed }));
  expect(order(3)).toEqual(order(3));
  expect(order(3)).not.toEqual(order(4));
});

test('imitationStage has one step per pass with fewer examples than a batch, and accepts a fraction of a pass', () => {
  const small = listTokens(imitationStage(examples(5), PLAN));
  expect(small.map(({ length }) => length)).toEqual([5, 5]);
  expect(imitationStage(examples(10 * BATCH), { ...PLAN, epochs: 0.25 }).steps).toBe(3);
});

test('imitationStage throws an error without examples', () => {
  expect(() => imitationStage([], PLAN)).toThrow('imitation needs at least one example');
});

/** Returns an attempt. Its program is one token and the end (9). The prompt of problem t is [1, 20 + t]. */
const attempt = (task: number, program: number, score: number, history: readonly number[] = []): Attempt => {
  const prompt = [1, 20 + task];
  const written = [program, 9];
  return { task, score, written, before: [...prompt, ...history], tokens: [...prompt, ...written] };
};

/**
 * Attempts of three problems. Problem 0 has a rollout that repairs its program in the second turn, and a rollout that
 * is solved in the first turn. Problem 1 has two rollouts of two turns that never pass all tests. Problem 2 has two
 * programs with equal verifier scores.
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
/** Verifier scores [attempts]. The wrong first program of problem 0 has the highest score. */
const VERIFIED = [0.9, 0.3, 0.6, 0.1, 0.2, 0.8, 0.7, 0.5, 0.5];

const chosen = (...[expert, verified = VERIFIED]: [Parameters<typeof bestPrograms>[2], number[]?]) =>
  [...bestPrograms(ATTEMPTS, verified, expert)].map(([task, { written }]) => [task, written[0]]);

describe('bestPrograms', () => {
  test('bestPrograms by verifier selects the program with the highest score of all turns, regardless of tests', () => {
    expect(chosen('verifier')).toEqual([
      [0, 50],
      [1, 62],
      [2, 70],
    ]);
  });

  test('bestPrograms by tests selects the first program that passes all tests, and none without such a program', () => {
    expect(chosen('tests')).toEqual([
      [0, 51],
      [2, 71],
    ]);
    expect(chosen('tests', VERIFIED.toReversed())).toEqual(chosen('tests'));
  });

  test('bestPrograms by tests and verifier selects a right program, or the highest score if no program is right', () => {
    expect(chosen('tests-verifier')).toEqual([
      [0, 52],
      [1, 62],
      [2, 71],
    ]);
    // The right program is selected even if a wrong program has a higher verifier score.
    const [wrong, right] = [attempt(3, 80, 0.9), attempt(3, 81, 1)];
    expect(bestPrograms([wrong, right], [1, 0], 'tests-verifier').get(3)).toBe(right);
  });

  test('bestPrograms selects the first of several programs with equal scores', () => {
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
    // Scores that differ by one unit in the last place of a float64 are not equal.
    const nearly = VERIFIED.with(8, 0.5 + 2 ** -53 * 2);
    expect(chosen('verifier', nearly)[2]).toEqual([2, 71]);
  });

  test('passesAll is true only for programs with score 1', () => {
    expect(ATTEMPTS.filter(passesAll).map(({ written }) => written[0])).toEqual([51, 52, 71]);
  });
});

describe('relabelled turns', () => {
  test('relabelled turns are the tokens before a turn, followed by the best program of the problem', () => {
    const examples = relabelled(ATTEMPTS, bestPrograms(ATTEMPTS, VERIFIED, 'tests-verifier'));
    expect(examples.map(({ tokens }) => tokens)).toEqual([
      [1, 20, 52, 9],
      [1, 20, 50, 7, 52, 9],
      // The rollout that is solved in the first turn has one turn and one example.
      [1, 20, 52, 9],
      [1, 21, 62, 9],
      [1, 21, 60, 7, 62, 9],
      [1, 21, 62, 9],
      [1, 21, 62, 7, 62, 9],
      [1, 22, 71, 9],
      [1, 22, 71, 9],
    ]);
  });

  test('relabelled turns have weight 1 for the tokens of the program, and 0 for the tokens before it', () => {
    const [, second] = relabelled(ATTEMPTS, bestPrograms(ATTEMPTS, VERIFIED, 'tests'));
    expect(second).toEqual({ tokens: [1, 20, 50, 7, 51, 9], weights: [0, 0, 0, 0, 1, 1] });
  });

  test('relabelled omits the turns of problems without a best program', () => {
    const examples = relabelled(ATTEMPTS, bestPrograms(ATTEMPTS, VERIFIED, 'tests'));
    expect(examples.map(({ tokens }) => tokens[1])).toEqual([20, 20, 20, 22, 22]);
    expect(relabelled(ATTEMPTS, new Map())).toEqual([]);
  });
});
