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

// After e_log.c and s_log1p.c of fdlibm 5.3:
// Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Permission to use, copy, modify, and distribute this
// software is freely granted, provided that this notice is preserved.

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

/** Buffer for access to the two 32-bit words of a float64. Little-endian, as in WebAssembly. */
const double = new Float64Array(1);
const halves = new Uint32Array(double.buffer);

/** Returns the high word of a number as a signed integer: sign, exponent and first 20 bits of the mantissa. */
export function highHalf(x: number): number {
  double[0] = x;
  return halves[1] | 0;
}

/** Returns a number with its high word replaced. */
export function withHighHalf(x: number, high: number): number {
  double[0] = x;
  halves[1] = high;
  return double[0];
}

const LEAST_EXPONENT = -1022;
const POWERS = new Float64Array(1023 - LEAST_EXPONENT + 1);
POWERS[-LEAST_EXPONENT] = 1;
for (let k = 1; k <= 1023; k++) POWERS[k - LEAST_EXPONENT] = 2 * POWERS[k - 1 - LEAST_EXPONENT];
for (let k = -1; k >= LEAST_EXPONENT; k--) POWERS[k - LEAST_EXPONENT] = POWERS[k + 1 - LEAST_EXPONENT] / 2;

/** Returns x · 2^k, rounded once. @param k an integer from -2000 to 1024 */
function scaled(x: number, k: number): number {
  if (k > 1023) return x * 2 * POWERS[1023 - LEAST_EXPONENT];
  if (k >= LEAST_EXPONENT) return x * POWERS[k - LEAST_EXPONENT];
  return x * POWERS[Math.max(k + 1000, LEAST_EXPONENT) - LEAST_EXPONENT] * POWERS[-1000 - LEAST_EXPONENT];
}

/** Returns x². */
export function square(x: number): number {
  return x * x;
}

/** Largest integer exponent for which a power is computed by multiplication. */
const MAXIMUM_EXPONENT = 2 ** 31;

/**
 * Computes base^exponent by squaring, with at most 64 products. The relative error is below exponent · 2^-53.
 * @param exponent an integer from 0 to 2^31
 * @throws {RangeError} for another exponent
 */
export function integerPower(base: number, exponent: number): number {
  if (!Number.isInteger(exponent) || exponent < 0 || exponent > MAXIMUM_EXPONENT) {
    throw new RangeError(`the exponent ${exponent} is not a whole number from 0 to ${MAXIMUM_EXPONENT}`);
  }
  let power = 1;
  let factor = base;
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power *= factor;
    if (left > 1) factor *= factor;
  }
  return power;
}

/**
 * Computes base^exponent: by multiplication for an integer exponent, otherwise as exp(exponent · log(base)). The
 * relative error of the second form is below (2 + |exponent · log(base)|) · 2^-52.
 * @param base at least 0
 */
export function power(base: number, exponent: number): number {
  if (Number.isInteger(exponent) && Math.abs(exponent) <= MAXIMUM_EXPONENT) {
    return exponent < 0 ? 1 / integerPower(base, -exponent) : integerPower(base, exponent);
  }
  if (base === 0) return exponent > 0 ? 0 : Infinity;
  return exp(exponent * log(base));
}
