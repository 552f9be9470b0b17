import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Curve } from '../../../src/storage/curve.ts';
import { checkCurve } from '../../../src/storage/savedRun.ts';
import type { Metrics } from '../../../src/training/data/protocol.ts';
import { metricsOf } from '../app/appFixtures.ts';

const row = (step: number, heldOut: Metrics['heldOut'] = null) => metricsOf(step, { heldOut });
const CAPACITY = { capacity: 40, recent: 10, old: 16 };

function grown(steps: number, curve = new Curve(CAPACITY), evaluationInterval = Number.POSITIVE_INFINITY): Curve {
  for (let step = 0; step < steps; step += 1)
    curve.push(row(step, step % evaluationInterval === 0 ? { iter1: 0.5 } : null));
  return curve;
}

describe('the curve of a run', () => {
  test('a curve within its capacity has all updates', () => {
    const curve = grown(40);
    expect(curve.rows.map(({ step }) => step)).toEqual(Array.from({ length: 40 }, (_, step) => step));
    expect(curve.downsampled).toBeUndefined();
  });

  test('a curve above its capacity retains every second of the older updates, and all of the last updates', () => {
    const { rows, downsampled } = grown(41);
    // Of the 41 updates, every second from 0 to 29 and all later updates remain.
    expect(downsampled).toEqual({ every: 2, before: 30 });
    expect(rows.map(({ step }) => step)).toEqual([
      ...Array.from({ length: 15 }, (_, index) => 2 * index),
      ...Array.from({ length: 11 }, (_, index) => 30 + index),
    ]);
  });

  test('a curve retains updates with held-out measurements rather than other updates', () => {
    const curve = new Curve(CAPACITY);
    for (let step = 0; step < 200; step += 1) curve.push(row(step, step % 25 === 5 ? { iter1: 0.5 } : null));
    expect(curve.downsampled?.every).toBeGreaterThanOrEqual(8);
    const measured = curve.rows.filter(({ heldOut }) => heldOut !== null).map(({ step }) => step);
    expect(measured).toEqual([5, 30, 55, 80, 105, 130, 155, 180]);
  });

  test('a curve of 40,000 updates has 2,049 to 4,096 rows, and every 32nd of the older updates', () => {
    const curve = grown(40_000, new Curve());
    expect(curve.rows.length).toBeLessThanOrEqual(4096);
    expect(curve.rows.length).toBeGreaterThan(2048);
    expect(curve.downsampled?.every).toBe(32);
    expect(curve.rows.at(-1)?.step).toBe(39_999);
    checkCurve(curve.rows, { step: 40_000, downsampled: curve.downsampled });
  });

  test('an update of an earlier step cuts the curve at this step, in a new list', () => {
    const curve = grown(30);
    const before = curve.rows;
    curve.push(row(20));
    expect(curve.rows).not.toBe(before);
    expect(before).toHaveLength(30);
    expect(curve.rows.at(-1)?.step).toBe(20);
    expect(curve.rows).toHaveLength(21);
  });

  test('a curve reports its downsampling correctly after any sequence of cuts and updates', () => {
    const moves = fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.double({ min: 0, max: 1, noNaN: true })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(moves, fc.integer({ min: 1, max: 40 }), (sequence, evaluationInterval) => {
        const curve = new Curve(CAPACITY);
        let step = 0;
        for (const [forward, back] of sequence) {
          step = Math.floor(step * back);
          curve.cut(step);
          for (let count = 0; count < forward; count += 1, step += 1) {
            curve.push(row(step, step % evaluationInterval === 0 ? { iter1: 1 } : null));
            expect(curve.rows.length).toBeLessThanOrEqual(CAPACITY.capacity);
          }
          checkCurve(curve.rows, { step, downsampled: curve.downsampled });
        }
      }),
    );
  });
});
