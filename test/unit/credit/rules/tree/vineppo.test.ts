import { expect, test } from 'vitest';
import { findRule } from '../../../../../src/credit/rules.ts';
import { expectClose } from '../../../../vectorFile.ts';

const vineppo = findRule('vineppo');

/** Creates a group of one rollout from its outcome and the state value before each turn. */
const rollout = (outcome: number, ...values: readonly number[]) => ({
  id: 'g',
  turns: values.map((stateValue, turn) => ({
    ...{ parent: turn - 1, reward: 7, stateValue },
    ...(turn === values.length - 1 ? { outcome } : {}),
  })),
});

test('vineppo credits a turn with the change of the state value; the value after the last turn is the outcome', () => {
  const { advantage, intermediate } = vineppo.credit(rollout(1, 0.25, 0.75, 0.5), {});
  expectClose(advantage, [0.5, -0.25, 0.5], 1e-15);
  expect([...intermediate.stateValue]).toEqual([0.25, 0.75, 0.5]);
  // Without discount, the advantages of a rollout sum to its outcome minus its initial state value.
  expectClose([advantage.reduce((sum, A) => sum + A, 0)], [0.75], 1e-15);
});

test('vineppo discounts the next state value, and not the outcome on the last turn', () => {
  expectClose(vineppo.credit(rollout(1, 0.25, 0.75, 0.5), { gamma: 0.5 }).advantage, [0.125, -0.5, 0.5], 1e-15);
});

test('vineppo compares no rollouts: a group of one rollout has credit, and no group is degenerate', () => {
  expect(vineppo.compared(rollout(0, 0, 0), {})).toEqual([]);
  expectClose(vineppo.credit(rollout(1, 0.5), {}).advantage, [0.5], 1e-15);
});

test('vineppo throws an error for a missing or invalid state value', () => {
  const without = { id: 'g', turns: [{ parent: -1, reward: 0, outcome: 1 }] };
  expect(() => vineppo.credit(without, {})).toThrow('group "g", turn 0, field "stateValue": missing');
  const wrong = { id: 'g', turns: [{ parent: -1, reward: 0, outcome: 1, stateValue: Number.NaN }] };
  expect(() => vineppo.credit(wrong, {})).toThrow('field "stateValue": null is not a finite number');
});
