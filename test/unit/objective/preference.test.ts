import { expect, test } from 'vitest';
import { preferenceLoss, sigmoid } from '../../../src/objective/objective.ts';

test('preferenceLoss is -log sigmoid of the margin, and its slope is minus the probability of the wrong order', () => {
  // margin ln 3: sigmoid = 3/4, -ln(3/4) = 0.28768, slope -(1 - 3/4).
  const likely = preferenceLoss(Math.log(3) + 2, 2);
  expect(likely.value).toBeCloseTo(0.287682, 6);
  expect(likely.derivative).toBeCloseTo(-0.25, 12);
  // margin -ln 3: sigmoid = 1/4, -ln(1/4) = 1.38629, slope -3/4.
  const unlikely = preferenceLoss(-1, Math.log(3) - 1);
  expect(unlikely.value).toBeCloseTo(1.386294, 6);
  expect(unlikely.derivative).toBeCloseTo(-0.75, 12);
  // margin 0: ln 2, slope -1/2.
  expect(preferenceLoss(5, 5)).toEqual({ value: Math.LN2, derivative: -0.5 });
});

test('preferenceLoss and sigmoid are finite at a margin of 2000', () => {
  expect(preferenceLoss(2000, 0)).toEqual({ value: 0, derivative: -0 });
  expect(preferenceLoss(0, 2000)).toEqual({ value: 2000, derivative: -1 });
  expect([sigmoid(-2000), sigmoid(0), sigmoid(2000)]).toEqual([0, 0.5, 1]);
});
