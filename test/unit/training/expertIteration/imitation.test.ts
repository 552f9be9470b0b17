import { expect, test } from 'vitest';
import type { Demonstration } from '../../../../src/environments/environment.ts';
import { BATCH, imitationStage } from '../../../../src/training/run/imitation.ts';

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
