export function splat(x: f32): v128 {
  return f32x4.splat(x);
}

/** sum + x y, rounded twice. */
export function addProduct(sum: v128, x: v128, y: v128): v128 {
  return f32x4.add(sum, f32x4.mul(x, y));
}

export function sumOf(x: v128): f32 {
  return f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1) + f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3);
}

export function largestOf(x: v128): f32 {
  return max(
    max(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1)),
    max(f32x4.extract_lane(x, 2), f32x4.extract_lane(x, 3)),
  );
}

/** The sums of four vectors, each in the order of sumOf. */
export function sumsOf(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
  const AB = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
  const CD = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
  return f32x4.add(
    f32x4.add(
      f32x4.add(v128.shuffle<f32>(ab, cd, 0, 1, 4, 5), v128.shuffle<f32>(ab, cd, 2, 3, 6, 7)),
      v128.shuffle<f32>(AB, CD, 0, 1, 4, 5),
    ),
    v128.shuffle<f32>(AB, CD, 2, 3, 6, 7),
  );
}

/**
 * exp of four numbers, as 2^k times a polynomial of degree 6; relative error below 3e-7 from -87 to 88, constant outside. Adding
 * 1.5 2^23 rounds to the whole number k and leaves it in the last bits, from where it is shifted to the exponent.
 */
export function exp4(a: v128): v128 {
  const x = f32x4.pmin(f32x4.pmax(a, splat(-87)), splat(88));
  const shifted = f32x4.add(f32x4.mul(x, splat(Mathf.LOG2E)), splat(12582912));
  const k = f32x4.sub(shifted, splat(12582912));
  const r = f32x4.sub(f32x4.sub(x, f32x4.mul(k, splat(0.693359375))), f32x4.mul(k, splat(-0.00021219444)));
  let p = addProduct(splat(0.008333334), splat(0.0013888889), r);
  p = addProduct(splat(0.041666668), p, r);
  p = addProduct(splat(0.16666667), p, r);
  p = addProduct(splat(0.5), p, r);
  p = addProduct(splat(1), p, r);
  p = addProduct(splat(1), p, r);
  return f32x4.mul(p, i32x4.shl(i32x4.add(shifted, i32x4.splat(127)), 23));
}

export function exp1(x: f32): f32 {
  return f32x4.extract_lane(exp4(splat(x)), 0);
}

/** Natural logarithm of a sum of exponentials in float64: mantissa between sqrt(1/2) and sqrt(2), then the series of atanh. */
export function log1(x: f64): f64 {
  const bits = reinterpret<u64>(x);
  let exponent = i32((bits >> 52) & 0x7ff) - 1023;
  let mantissa = reinterpret<f64>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  if (mantissa > Math.SQRT2) {
    mantissa *= 0.5;
    exponent++;
  }
  const s = (mantissa - 1) / (mantissa + 1);
  const z = s * s;
  let series: f64 = 0;
  for (let i = 21; i >= 1; i -= 2) series = series * z + 1.0 / f64(i);
  return f64(exponent) * Math.LN2 + 2 * s * series;
}

export function dot(a: usize, b: usize, bytes: usize): f32 {
  let sum = f32x4.mul(v128.load(a), v128.load(b));
  for (let j: usize = 16; j < bytes; j += 16) sum = addProduct(sum, v128.load(a + j), v128.load(b + j));
  return sumOf(sum);
}

/** y += factor x. */
export function addScaled(y: usize, factor: v128, x: usize, bytes: usize): void {
  for (let j: usize = 0; j < bytes; j += 16) v128.store(y + j, addProduct(v128.load(y + j), factor, v128.load(x + j)));
}
