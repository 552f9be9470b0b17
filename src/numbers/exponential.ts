import { scaled } from './halves.ts';

// After e_exp.c and s_expm1.c of fdlibm 5.3:
// Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Permission to use, copy, modify, and distribute this
// software is freely granted, provided that this notice is preserved.

const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
/** Limits of the argument reduction: 0 ln 2 is subtracted if |x| < 0.5 ln 2, and 1 ln 2 if |x| < 1.5 ln 2. */
const HALF_LN2 = 0.3465735912322998;
const THREE_HALVES_LN2 = 1.0397205352783203;
/** Arguments beyond which exp overflows to Infinity (LARGEST) or underflows to 0 (LEAST). */
const LARGEST = 709.782712893384;
const LEAST = -745.1332191019411;

/** Returns the integer nearest to x / ln 2. */
function multipleOfLn2(x: number): number {
  const size = Math.abs(x);
  if (size < HALF_LN2) return 0;
  if (size < THREE_HALVES_LN2) return x > 0 ? 1 : -1;
  return Math.trunc(Math.LOG2E * x + (x > 0 ? 0.5 : -0.5));
}

/** Returns e^x. Error below 1 ulp. */
export function exp(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x > LARGEST) return Infinity;
  if (x < LEAST) return 0;
  if (Math.abs(x) < 3.725290298461914e-9) return 1 + x;
  const k = multipleOfLn2(x);
  const high = x - k * LN2_HIGH;
  const low = k * LN2_LOW;
  const r = high - low;
  const z = r * r;
  const even =
    0.16666666666666602 +
    z *
      (-0.0027777777777015593 + z * (6.613756321437934e-5 + z * (-1.6533902205465252e-6 + z * 4.1381367970572385e-8)));
  const c = r - z * even;
  if (k === 0) return 1 - ((r * c) / (c - 2) - r);
  return scaled(1 - (low - (r * c) / (2 - c) - high), k);
}

/** Returns e^x - 1 without cancellation for small x. Error below 1 ulp. */
export function expm1(x: number): number {
  if (Number.isNaN(x) || Math.abs(x) < 5.551115123125783e-17) return x;
  if (x > LARGEST) return Infinity;
  if (x < -38.81622314453125) return -1;
  const k = multipleOfLn2(x);
  const high = x - k * LN2_HIGH;
  const low = k * LN2_LOW;
  const r = high - low;
  const lost = high - r - low;
  const half = 0.5 * r;
  const z = r * half;
  const q =
    1 +
    z *
      (-0.03333333333333313 +
        z *
          (0.0015873015872548146 +
            z * (-7.93650757867488e-5 + z * (4.008217827329362e-6 + z * -2.0109921818362437e-7))));
  const t = 3 - q * half;
  const e = z * ((q - t) / (6 - r * t));
  if (k === 0) return r - (r * e - z);
  const rest = r * (e - lost) - lost - z;
  if (k === -1) return 0.5 * (r - rest) - 0.5;
  if (k === 1) return r < -0.25 ? -2 * (rest - (r + 0.5)) : 1 + 2 * (r - rest);
  if (k <= -2 || k > 56) return scaled(1 - (rest - r), k) - 1;
  const tiny = scaled(1, -k);
  return k < 20 ? scaled(1 - tiny - (rest - r), k) : scaled(r - (rest + tiny) + 1, k);
}
