import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exp, expm1, integerPower, log, log1p, power } from '../../../src/numbers/exponential.ts';
import { cos, sin } from '../../../src/numbers/trigonometry.ts';
import { pcg4d } from '../../../src/random/counter.ts';
import { root } from '../../files.ts';

/** [argument, nearest float64 of the value, rest [ulp]], computed with mpmath (test/fixtures/numbers/make.py). */
type Row = readonly [number, number, number];

const TABLES: Readonly<Record<string, readonly Row[]>> = JSON.parse(
  readFileSync(join(root, 'test/fixtures/numbers/numbers.json'), 'utf8'),
);
const FUNCTIONS: Readonly<Record<string, (x: number) => number>> = { exp, expm1, log, log1p, sin, cos };

/** Ranges of the arguments of digests: 4,096 draws of 32 bits, scaled to the range in which the function is used. */
const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  exp: [-40, 40],
  expm1: [-4, 4],
  log: [0, 64],
  log1p: [0, 1],
  sin: [-512, 512],
  cos: [-512, 512],
};

/** Returns the distance between neighbouring float64 numbers at x. */
function ulp(x: number): number {
  const double = Float64Array.of(Math.abs(x));
  const bits = new BigInt64Array(double.buffer);
  bits[0]++;
  return double[0] - Math.abs(x);
}

/** Returns the FNV-1a hash of the 32-bit words of 4,096 function values. */
function digest(name: string): string {
  const [low, high] = RANGES[name];
  const values = Float64Array.from({ length: 4096 }, (_, i) =>
    FUNCTIONS[name](low + (high - low) * ((pcg4d(35, i, 0, 0)[0] + 0.5) / 2 ** 32)),
  );
  let hash = 0x811c9dc5;
  for (const half of new Uint32Array(values.buffer)) hash = Math.imul(hash ^ half, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

describe('numeric functions', () => {
  test.each(Object.keys(FUNCTIONS))('%s is within 1 ulp of reference values with 60 digits', (name) => {
    const rows = TABLES[name];
    const errors = rows.map(([x, nearest, rest]) => Math.abs((FUNCTIONS[name](x) - nearest) / ulp(nearest) - rest));
    expect(rows.length).toBeGreaterThan(600);
    expect(Math.max(...errors)).toBeLessThan(1);
  });

  test('numeric functions return the bits of the recorded digests', () => {
    expect(Object.fromEntries(Object.keys(FUNCTIONS).map((name) => [name, digest(name)]))).toEqual({
      exp: '28842174',
      expm1: '63a20481',
      log: 'cdf0bb83',
      log1p: '6bdff7b2',
      sin: '0c5af519',
      cos: 'c2d68500',
    });
  });

  test('numeric functions return limits and NaN at the ends of their domains', () => {
    expect([exp(710), exp(-746), exp(-Infinity), exp(0), exp(NaN)]).toEqual([Infinity, 0, 0, 1, NaN]);
    expect([expm1(710), expm1(-800), expm1(-0), expm1(NaN)]).toEqual([Infinity, -1, -0, NaN]);
    expect([log(0), log(-1), log(1), log(Infinity), log(NaN)]).toEqual([-Infinity, NaN, 0, Infinity, NaN]);
    expect([log1p(-1), log1p(-2), log1p(0), log1p(Infinity)]).toEqual([-Infinity, NaN, 0, Infinity]);
    expect([sin(0), cos(0)]).toEqual([0, 1]);
  });

  test.each([1e6, -1e6, Infinity, NaN])(
    'sin and cos throw a RangeError for %d, because their error bound does not hold there',
    (x) => {
      expect(() => sin(x)).toThrow(RangeError);
      expect(() => cos(x)).toThrow(RangeError);
    },
  );
});

describe('powers', () => {
  test('powers with integer exponents are products', () => {
    expect([integerPower(3, 0), integerPower(3, 5), integerPower(0, 0), integerPower(-2, 3)]).toEqual([1, 243, 1, -8]);
    expect(integerPower(0.9, 3)).toBe(0.9 * (0.9 * 0.9));
    expect([power(2, -2), power(7, 1), power(0, 2)]).toEqual([0.25, 7, 0]);
  });

  test('powers with fractional exponents are computed with exp and log', () => {
    expect(power(10000, -0.125)).toBeCloseTo(0.31622776601683794, 15);
    expect([power(0, 0.5), power(0, -0.5)]).toEqual([0, Infinity]);
  });

  test.each([-1, 0.5, NaN, 2 ** 32])('integerPower throws an error for the exponent %d', (exponent) => {
    expect(() => integerPower(2, exponent)).toThrow('is not a whole number');
  });
});
