import { exp } from './exponential.ts';
import { log } from './logarithm.ts';

/** x². */
export function square(x: number): number {
  return x * x;
}

/** Whole exponents up to this one are products. */
const MAXIMUM_EXPONENT = 2 ** 31;

/**
 * base^exponent by squaring: at most 64 products, so its relative error stays below `exponent` units of 2^-53.
 * @param exponent a whole number from 0 to 2^31
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
 * base^exponent, by products where the exponent is whole, else as exp(exponent log base), whose relative error stays below
 * 2 + |exponent log base| units of 2^-52.
 * @param base at least 0
 */
export function power(base: number, exponent: number): number {
  if (Number.isInteger(exponent) && Math.abs(exponent) <= MAXIMUM_EXPONENT) {
    return exponent < 0 ? 1 / integerPower(base, -exponent) : integerPower(base, exponent);
  }
  if (base === 0) return exponent > 0 ? 0 : Infinity;
  return exp(exponent * log(base));
}
