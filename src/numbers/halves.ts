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

/** Returns a number with the last 32 bits of its mantissa set to 0. */
export function withoutLowHalf(x: number): number {
  double[0] = x;
  halves[0] = 0;
  return double[0];
}

const LEAST_EXPONENT = -1022;
const POWERS = new Float64Array(1023 - LEAST_EXPONENT + 1);
POWERS[-LEAST_EXPONENT] = 1;
for (let k = 1; k <= 1023; k++) POWERS[k - LEAST_EXPONENT] = 2 * POWERS[k - 1 - LEAST_EXPONENT];
for (let k = -1; k >= LEAST_EXPONENT; k--) POWERS[k - LEAST_EXPONENT] = POWERS[k + 1 - LEAST_EXPONENT] / 2;

/** Returns x · 2^k, rounded once. @param k an integer from -2000 to 1024 */
export function scaled(x: number, k: number): number {
  if (k > 1023) return x * 2 * POWERS[1023 - LEAST_EXPONENT];
  if (k >= LEAST_EXPONENT) return x * POWERS[k - LEAST_EXPONENT];
  return x * POWERS[Math.max(k + 1000, LEAST_EXPONENT) - LEAST_EXPONENT] * POWERS[-1000 - LEAST_EXPONENT];
}
