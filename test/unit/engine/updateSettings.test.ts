import { expect, test } from 'vitest';
import { learningRate } from '../../../src/engine/updatePlan.ts';

test('the learning rate rises linearly during warm-up, and is constant afterwards', () => {
  const at = (warmUp: number, step: number) => learningRate({ learningRate: 2e-4, warmUp }, step);
  // 2e-4 times 1/4, 2/4, 3/4, 1, 1.
  [0.5e-4, 1e-4, 1.5e-4, 2e-4, 2e-4].forEach((rate, step) => {
    expect(at(4, step)).toBeCloseTo(rate, 12);
  });
  expect([at(0, 0), at(1, 0), learningRate({ learningRate: 2e-4 }, 0)]).toEqual([2e-4, 2e-4, 2e-4]);
});
