import { expect, test } from 'vitest';
import type { Demonstration } from '../../../../src/environments/environment.ts';
import { BATCH, imitationStage } from '../../../../src/training/expertIteration/imitation.ts';

const examples = (count: number) =>
  Array.from({ length: count }, (_, index): Demonstration => ({ tokens: [1, index], weights: [0, 1] }));
const PLAN = { epochs: 2, learningRate: 1e-3, seed: 3 };

/** Numbers of the examples of each step. */
const listTokens = ({ steps, demonstrations }: ReturnType<typeof imitationStage>) =>
  Array.from({ length: steps }, (_, step) => demonstrations(step).map(({ tokens }) => tokens[1]));

test('every example occurs once per pass, in passes of different orders', () => {
  const count = 3 * BATCH;
  const stage = imitationStage(examples(count), PLAN);
  expect([stage.steps, stage.batch, stage.learningRate]).toEqual([6, BATCH, 1e-3]);
  const order = listTokens(stage).flat();
  const all = Array.from({ length: count }, (_, index) => index);
  const [first, second] = [order.slice(0, count), order.slice(count)];
  for (const pass of [first, second]) expect(pass.toSorted((a, b) => a - b)).toEqual(all);
  expect(first).not.toEqual(second);
});

test('the seed alone decides the order', () => {
  const order = (seed: number) => listTokens(imitationStage(examples(BATCH + 1), { ...PLAN, seed }));
  expect(order(3)).toEqual(order(3));
  expect(order(3)).not.toEqual(order(4));
});

test('fewer examples than a batch are a pass a step, and parts of a pass are steps too', () => {
  const small = listTokens(imitationStage(examples(5), PLAN));
  expect(small.map(({ length }) => length)).toEqual([5, 5]);
  expect(imitationStage(examples(10 * BATCH), { ...PLAN, epochs: 0.25 }).steps).toBe(3);
});

test('imitation without examples is refused', () => {
  expect(() => imitationStage([], PLAN)).toThrow('imitation needs at least one example');
});
