import { highHalf, withHighHalf, withoutLowHalf } from './halves.ts';

// After e_log.c and s_log1p.c of fdlibm 5.3 and e_log2.c of FreeBSD:
// Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Permission to use, copy, modify, and distribute this
// software is freely granted, provided that this notice is preserved.

const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const INVERSE_LN2_HIGH = 1.4426950407214463;
const INVERSE_LN2_LOW = 1.6751713164886512e-10;

/** Number decomposed as x = 2^exponent · (1 + f), with sqrt(1/2) < 1 + f < sqrt(2). */
interface Parts {
  readonly exponent: number;
  /** High 20 bits of the mantissa of x. */
  readonly mantissa: number;
  readonly f: number;
}

/** Decomposes a number. @param x positive and finite */
function parts(x: number): Parts {
  const subnormal = x < 2.2250738585072014e-308;
  const normal = subnormal ? x * 18014398509481984 : x;
  const high = highHalf(normal);
  const mantissa = high & 0xfffff;
  const carry = (mantissa + 0x95f64) & 0x100000;
  const exponent = (subnormal ? -54 : 0) + (high >> 20) - 1023 + (carry >> 20);
  return { exponent, mantissa, f: withHighHalf(normal, mantissa | (carry ^ 0x3ff00000)) - 1 };
}

/** Returns R of log(1 + f) = f - f² / 2 + s (f² / 2 + R). @param s f / (2 + f) */
function series(s: number): number {
  const z = s * s;
  const w = z * z;
  const odd = w * (0.3999999999940942 + w * (0.22222198432149784 + w * 0.15313837699209373));
  const even = z * (0.6666666666666735 + w * (0.2857142874366239 + w * (0.1818357216161805 + w * 0.14798198605116586)));
  return even + odd;
}

/**
 * Returns k ln 2 + log(1 + f).
 * @param lost correction for the rounding error of 1 + f
 * @param steep true if f² / 2 is subtracted separately, which is more accurate for large |f|
 */
function assembled(f: number, k: number, lost: number, steep: boolean): number {
  const s = f / (2 + f);
  const R = series(s);
  const square = 0.5 * f * f;
  const inner = steep ? s * (square + R) : s * (f - R);
  if (k === 0) return steep ? f - (square - inner) : f - inner;
  const low = k * LN2_LOW + lost;
  return k * LN2_HIGH - (steep ? square - (inner + low) - f : inner - low - f);
}

/** Returns the natural logarithm: -Infinity for 0, and NaN for negative numbers. Error below 1 ulp. */
export function log(x: number): number {
  if (!(x > 0)) return x === 0 ? -Infinity : NaN;
  if (x === Infinity) return x;
  const { exponent: k, mantissa, f } = parts(x);
  if (Math.abs(f) < 9.5367431640625e-7) {
    if (f === 0) return k * LN2_HIGH + k * LN2_LOW;
    const R = f * f * (0.5 - 0.3333333333333333 * f);
    return k === 0 ? f - R : k * LN2_HIGH - (R - k * LN2_LOW - f);
  }
  return assembled(f, k, 0, mantissa >= 0x6147a && mantissa <= 0x6b851);
}

/**
 * Returns log(1 + x) without cancellation for small x: -Infinity for -1, and NaN for numbers below -1.
 * Error below 1 ulp.
 */
export function log1p(x: number): number {
  if (!(x > -1)) return x === -1 ? -Infinity : NaN;
  if (x === Infinity) return x;
  if (Math.abs(x) < 1.862645149230957e-9) return Math.abs(x) < 5.551115123125783e-17 ? x : x - x * x * 0.5;
  if (x > -0.292893648147583 && x < 0.4142136573791504) return assembled(x, 0, 0, true);
  const sum = 1 + x;
  const { exponent, f } = parts(sum);
  const lost = exponent > 0 ? 1 - (sum - x) : x - (sum - 1);
  const error = x < 9007199254740992 ? lost / sum : 0;
  if (Math.abs(f) < 9.5367431640625e-7) {
    const R = 0.5 * f * f * (1 - 0.6666666666666666 * f);
    return exponent * LN2_HIGH - (R - (exponent * LN2_LOW + error) - f);
  }
  return assembled(f, exponent, error, true);
}

/**
 * Returns the logarithm to base 2: -Infinity for 0, and NaN for negative numbers. Error below 1 ulp; exact for powers
 * of two.
 */
export function log2(x: number): number {
  if (!(x > 0)) return x === 0 ? -Infinity : NaN;
  if (x === Infinity) return x;
  const { exponent, f } = parts(x);
  const square = 0.5 * f * f;
  const s = f / (2 + f);
  const rest = s * (square + series(s));
  const high = withoutLowHalf(f - square);
  const low = f - high - square + rest;
  const product = high * INVERSE_LN2_HIGH;
  const sum = exponent + product;
  return (low + high) * INVERSE_LN2_LOW + low * INVERSE_LN2_HIGH + (exponent - sum + product) + sum;
}
