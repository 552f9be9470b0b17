import { exp, log } from './exponential.ts';

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
