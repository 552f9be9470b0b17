import { expect, test } from 'vitest';
import { findRule } from '../../../../../src/credit/rules.ts';
import { expectClose } from '../../../../vectorFile.ts';

const vineppo = findRule('vineppo');

/** Returns a rollout with the value of the state before each turn, and with its outcome. */
const rollout = (outcome: number, ...values: readonly number[]) => ({
  id: 'g',
  turns: values.map((stateValue, turn) => ({
    ...{ parent: turn - 1, reward: 7, stateValue },
    ...(turn === values.length - 1 ? { outcome } : {}),
  })),
});

test('a turn is credited with its change of the value; the last turn ends at the outcome', () => {
  const { advantage, intermediate } = vineppo.credit(rollout(1, 0.25, 0.75, 0.5), {});
  expectClose(advantage, [0.5, -0.25, 0.5], 1e-15);
  expect([...intermediate.stateValue]).toEqual([0.25, 0.75, 0.5]);
  // Undiscounted, the advantages of a rollout add up to what it ended with, less what its beginning was worth.
  expectClose([advantage.reduce((sum, A) => sum + A, 0)], [0.75], 1e-15);
});

test('a value is discounted per turn, and the outcome is not discounted on the last turn', () => {
  expectClose(vineppo.credit(rollout(1, 0.25, 0.75, 0.5), { gamma: 0.5 }).advantage, [0.125, -0.5, 0.5], 1e-15);
});

test('no rollout is compared with another: a group of one has credit, and no group is degenerate', () => {
  expect(vineppo.compared(rollout(0, 0, 0), {})).toEqual([]);
  expectClose(vineppo.credit(rollout(1, 0.5), {}).advantage, [0.5], 1e-15);
});

test('a turn without a state value is refused', () => {
  const without = { id: 'g', turns: [{ parent: -1, reward: 0, outcome: 1 }] };
  expect(() => vineppo.credit(without, {})).toThrow('group "g", turn 0, field "stateValue": missing');
  const wrong = { id: 'g', turns: [{ parent: -1, reward: 0, outcome: 1, stateValue: Number.NaN }] };
  expect(() => vineppo.credit(wrong, {})).toThrow('field "stateValue": null is not a finite number');
});
