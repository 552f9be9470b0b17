import { describe, expect, test } from 'vitest';
import { separateLabels } from '../../../src/experiments/separateLabels.ts';

describe('labels at the ends of lines', () => {
  test('overlapping labels are moved apart, inside the plot', () => {
    expect(separateLabels([50, 51, 10], 12, 0, 60)).toEqual([48, 60, 10]);
    expect(separateLabels([100, 101, 50], 15, 0, 110)).toEqual([95, 110, 50]);
    expect(separateLabels([-3, 0], 15, 0, 100)).toEqual([0, 15]);
  });

  test('labels with sufficient distance do not move', () => {
    expect(separateLabels([30, 10], 12, 0, 60)).toEqual([30, 10]);
    expect(separateLabels([], 12, 0, 60)).toEqual([]);
  });
});
