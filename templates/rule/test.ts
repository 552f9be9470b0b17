import { expect, test } from 'vitest';
import { findRule } from '../../../../../src/credit/rules.ts';
import { groupOf } from '../../../../groups.ts';

test('discounted-outcome halves the credit for each turn that follows', () => {
  const group = groupOf([
    { turns: [0, 0], outcome: 1 },
    { turns: [], outcome: 0 },
  ]);
  const values = { gamma: 0.5, epsilon: 0, ddof: '0' };
  // Outcomes 1 and 0: mean 0.5, deviation 0.5, so A is 1 and -1. Two, one and no turns follow: 0.25, 0.5 and 1 times A.
  expect([...findRule('discounted-outcome').credit(group, values).advantage]).toEqual([0.25, 0.5, 1, -1]);
});
