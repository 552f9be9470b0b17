import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  differences,
  EMPTY_PREDICTION,
  isFullyDrawn,
  nudge,
  ofChoice,
  POINTS,
  predictedAt,
  stepOf,
  stroke,
} from '../../../src/lessons/prediction.ts';

const choice = {
  name: 'a',
  label: 'a',
  points: [
    [0, 0.5],
    [20, 1],
    [70, 0],
  ] as const,
};

describe('a predicted curve', () => {
  test('the predicted curve of a choice passes through its points on straight lines', () => {
    const curve = ofChoice(choice, 70);
    expect(curve).toHaveLength(POINTS);
    expect([curve[0], curve[10]]).toEqual([0.5, 0]);
    // Step 7 is at 7/20 of the distance from .5 to 1.
    expect(curve[1]).toBeCloseTo(0.675, 12);
    expect(predictedAt(curve, 70, 70)).toBe(0);
    expect(predictedAt(curve, 3.5, 70)).toBeCloseTo((0.5 + 0.675) / 2, 12);
  });

  test('a predicted curve is unknown at steps that are not drawn', () => {
    const half = stroke(
      stroke(EMPTY_PREDICTION, undefined, { at: 0, value: 1 }),
      { at: 0, value: 1 },
      { at: 5, value: 0 },
    );
    expect(half.slice(0, 6).map((value) => value && Number(value.toFixed(2)))).toEqual([1, 0.8, 0.6, 0.4, 0.2, 0]);
    expect([isFullyDrawn(half), half[6]]).toEqual([false, null]);
    expect(predictedAt(half, stepOf(6, 40), 40)).toBeNaN();
    expect(predictedAt(EMPTY_PREDICTION, 0, 40)).toBeNaN();
  });

  test('a predicted curve drawn by any strokes is within 0 to 1', () => {
    const point = fc.record({
      at: fc.double({ min: 0, max: POINTS - 1, noNaN: true }),
      value: fc.double({ min: -2, max: 3, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(point, { minLength: 1 }), (points) => {
        const drawn = points.reduce((curve, to, index) => stroke(curve, points[index - 1], to), EMPTY_PREDICTION);
        expect(drawn).toHaveLength(POINTS);
        for (const value of drawn) expect(value === null || (value >= 0 && value <= 1)).toBe(true);
        expect(drawn[Math.round(points.at(-1)?.at ?? 0)]).not.toBeNull();
      }),
    );
  });

  test('a predicted curve moved by keys is complete immediately and remains within 0 to 1', () => {
    const first = nudge(EMPTY_PREDICTION, 3, 0.05);
    expect([isFullyDrawn(first), first[3], first[4]]).toEqual([true, 0.55, 0.5]);
    expect(nudge(nudge(first, 3, 0.9), 3, -5)[3]).toBe(0);
  });

  test('a predicted curve with any number of points has differences from the measured values', () => {
    expect(predictedAt([0, 0.5, 0], 10, 40)).toBe(0.25);
    expect(predictedAt([0, 0.25, 0.5, 0.75, 1], 1, 10)).toBeCloseTo(0.1, 12);
    expect(differences([0.5, 0.5], [0.5, null, 1], 10)).toEqual([0, 0.5]);
    expect(differences(EMPTY_PREDICTION, [0.5], 10)).toEqual([]);
  });
});
