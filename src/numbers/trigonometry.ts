import { highHalf, withHighHalf } from './exponential.ts';

// After k_sin.c, k_cos.c and e_rem_pio2.c of fdlibm 5.3:
// Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Permission to use, copy, modify, and distribute this
// software is freely granted, provided that this notice is preserved.

/** Largest absolute value of an argument: 2^19 π / 2. Three parts of π are too few beyond it. */
const LARGEST = 823549.6;
const QUARTER = 0.7853981633974483;
const TWO_OVER_PI = 0.6366197723675814;
/** First three parts of π / 2, with 33 bits each. HALF_PI_REST has the remainder of π / 2 after each part. */
const HALF_PI = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21] as const;
const HALF_PI_REST = [6.077100506506192e-11, 2.0222662487959506e-21, 8.4784276603689e-32] as const;
/** Number of cancelled bits above which the next part of π / 2 is subtracted. */
const CANCELLED = [16, 49] as const;

/** Argument reduced to x = quarters · π / 2 + high + low, with |high| at most about π / 4. */
interface Reduced {
  readonly quarters: number;
  readonly high: number;
  readonly low: number;
}

function exponent(x: number): number {
  return (highHalf(x) >> 20) & 0x7ff;
}

/** Reduces an angle [rad]. @throws {RangeError} if |x| exceeds LARGEST */
function reduced(x: number): Reduced {
  const size = Math.abs(x);
  if (size <= QUARTER) return { quarters: 0, high: x, low: 0 };
  if (!(size <= LARGEST)) throw new RangeError(`the angle ${x} is not between -${LARGEST} and ${LARGEST}`);
  const n = Math.trunc(size * TWO_OVER_PI + 0.5);
  let rest = size - n * HALF_PI[0];
  let part = n * HALF_PI_REST[0];
  let high = rest - part;
  for (let next = 1; next <= 2 && exponent(size) - exponent(high) > CANCELLED[next - 1]; next++) {
    const before = rest;
    const multiple = n * HALF_PI[next];
    rest = before - multiple;
    part = n * HALF_PI_REST[next] - (before - rest - multiple);
    high = rest - part;
  }
  const low = rest - high - part;
  return x > 0 ? { quarters: n % 4, high, low } : { quarters: (4 - (n % 4)) % 4, high: -high, low: -low };
}

/** Returns the sine of x + y. |x| is at most about π / 4, and y is the rounding error of x. */
function sine(x: number, y: number): number {
  if (Math.abs(x) < 7.450580596923828e-9) return x;
  const z = x * x;
  const v = z * x;
  const r =
    0.00833333333332249 +
    z *
      (-0.0001984126982985795 + z * (2.7557313707070068e-6 + z * (-2.5050760253406863e-8 + z * 1.58969099521155e-10)));
  return y === 0 ? x + v * (-0.16666666666666632 + z * r) : x - (z * (0.5 * y - v * r) - y - v * -0.16666666666666632);
}

/** Returns the cosine of x + y. |x| is at most about π / 4, and y is the rounding error of x. */
function cosine(x: number, y: number): number {
  const size = Math.abs(x);
  if (size < 7.450580596923828e-9) return 1;
  const z = x * x;
  const r =
    z *
    (0.0416666666666666 +
      z *
        (-0.001388888888887411 +
          z *
            (2.480158728947673e-5 +
              z * (-2.7557314351390663e-7 + z * (2.087572321298175e-9 + z * -1.1359647557788195e-11)))));
  if (size < 0.2999999523162842) return 1 - (0.5 * z - (z * r - x * y));
  // About |x| / 4, rounded to few bits so that 1 - quarter is exact.
  const quarter = size >= 0.7812504768371582 ? 0.28125 : withHighHalf(0, highHalf(size) - 0x200000);
  return 1 - quarter - (0.5 * z - quarter - (z * r - x * y));
}

/** Returns the sine of an angle [rad]. Error below 1 ulp. @throws {RangeError} if |x| exceeds 823,549 */
export function sin(x: number): number {
  const { quarters, high, low } = reduced(x);
  const size = quarters % 2 === 0 ? sine(high, low) : cosine(high, low);
  return quarters < 2 ? size : -size;
}

/** Returns the cosine of an angle [rad]. Error below 1 ulp. @throws {RangeError} if |x| exceeds 823,549 */
export function cos(x: number): number {
  const { quarters, high, low } = reduced(x);
  const size = quarters % 2 === 0 ? cosine(high, low) : sine(high, low);
  return quarters === 0 || quarters === 3 ? size : -size;
}
