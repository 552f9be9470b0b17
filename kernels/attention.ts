import { addProduct, addScaled, dot, exp4, largestOf, splat, sumOf, sumsOf } from './lanes';

/** Bytes of a row: token, token before it (-1: none), position, first row of its sequence. */
const ROW: usize = 16;
/** Lower than every score; its exponential is as good as 0, and is masked. */
const MASKED: f32 = -1e30;

/**
 * Rotary positions (Su et al. 2021), rotate-half, in place, for `heads` heads at the beginning of each row.
 * @param table [context, 2, width / 2] cosines, then sines
 * @param sign -1 for the transpose
 */
export function rotate(
  x: usize,
  rows: usize,
  table: usize,
  n: i32,
  heads: i32,
  width: i32,
  stride: usize,
  sign: f32,
): void {
  const half = usize(2 * width);
  for (let i = 0; i < n; i++, rows += ROW, x += stride) {
    const t = table + 2 * half * load<u32>(rows, 8);
    for (let h = 0; h < heads; h++) {
      const at = x + 2 * half * h;
      if ((half & 15) === 0) {
        for (let j: usize = 0; j < half; j += 16) {
          const a = v128.load(at + j);
          const b = v128.load(at + half + j);
          const c = v128.load(t + j);
          const s = f32x4.mul(v128.load(t + half + j), splat(sign));
          v128.store(at + j, f32x4.sub(f32x4.mul(a, c), f32x4.mul(b, s)));
          v128.store(at + half + j, f32x4.add(f32x4.mul(b, c), f32x4.mul(a, s)));
        }
      } else {
        for (let j: usize = 0; j < half; j += 4) {
          const a = load<f32>(at + j);
          const b = load<f32>(at + half + j);
          const c = load<f32>(t + j);
          const s = load<f32>(t + half + j) * sign;
          store<f32>(at + j, a * c - b * s);
          store<f32>(at + half + j, b * c + a * s);
        }
      }
    }
  }
}

/** Keys and values of rows to their places in the cache, first + position. @param bytes of keys and values of a row */
function storeRows(x: usize, rows: usize, cache: usize, n: i32, stride: usize, bytes: usize): void {
  for (let i = 0; i < n; i++, rows += ROW, x += stride) {
    memory.copy(cache + bytes * (load<u32>(rows, 8) + load<u32>(rows, 12)), x, bytes);
  }
}

export { storeRows as store };

/** Products of four vectors of 16 with one that is in registers, before their lanes are summed. */
function lanes16(a: v128, b: v128, c: v128, d: v128, x: usize): v128 {
  return addProduct(
    addProduct(addProduct(f32x4.mul(a, v128.load(x)), b, v128.load(x, 16)), c, v128.load(x, 32)),
    d,
    v128.load(x, 48),
  );
}

/**
 * Products of a vector with the first `count` of a list, times a scale, to `to`; up to a multiple of four MASKED follows. Up to three
 * vectors after the last are read.
 * @returns the largest
 */
function scores(x: usize, list: usize, stride: usize, count: i32, width: i32, scale: f32, to: usize): f32 {
  if (width !== 16) {
    let top = MASKED;
    for (let j = 0; j < count; j++) {
      const score = dot(x, list + stride * j, 4 * width) * scale;
      store<f32>(to + 4 * j, score);
      top = max(top, score);
    }
    for (let j = count; j & 3; j++) store<f32>(to + 4 * j, MASKED);
    return top;
  }
  const a = v128.load(x);
  const b = v128.load(x, 16);
  const c = v128.load(x, 32);
  const d = v128.load(x, 48);
  let tops = splat(MASKED);
  for (let j = 0; j < count; j += 4) {
    const at = list + stride * j;
    const four = f32x4.mul(
      sumsOf(
        lanes16(a, b, c, d, at),
        lanes16(a, b, c, d, at + stride),
        lanes16(a, b, c, d, at + 2 * stride),
        lanes16(a, b, c, d, at + 3 * stride),
      ),
      splat(scale),
    );
    const inside = i32x4.lt_s(i32x4.add(i32x4(0, 1, 2, 3), i32x4.splat(j)), i32x4.splat(count));
    const masked = v128.bitselect(four, splat(MASKED), inside);
    v128.store(to + 4 * j, masked);
    tops = f32x4.pmax(tops, masked);
  }
  return largestOf(tops);
}

/**
 * Causal attention of rows over the keys of their sequence, first ... first + position.
 * @param targets [n] row, token: the rows that are computed; 0 for all in order
 * @param queries [rows, stride]
 * @param keys, values [rows or slots, keyStride]
 * @param out [n, heads width]
 * @param state [n, heads, 2] the highest score and 1 / the sum of exponentials, for the backward pass
 * @param scratch [context + 4]
 */
export function attend(
  rows: usize,
  targets: usize,
  queries: usize,
  stride: usize,
  keys: usize,
  values: usize,
  keyStride: usize,
  out: usize,
  state: usize,
  n: i32,
  heads: i32,
  keyHeads: i32,
  width: i32,
  scratch: usize,
): void {
  const bytes = usize(4 * width);
  const scale: f32 = 1 / sqrt<f32>(f32(width));
  for (let i = 0; i < n; i++) {
    const row: usize = targets ? load<u32>(targets + 8 * i) : i;
    const count = load<i32>(rows + ROW * row, 8) + 1;
    const first = keyStride * load<u32>(rows + ROW * row, 12);
    for (let h = 0; h < heads; h++, out += bytes, state += 8) {
      const shared = first + bytes * ((h * keyHeads) / heads);
      const top = scores(queries + stride * row + bytes * h, keys + shared, keyStride, count, width, scale, scratch);
      let total = splat(0);
      for (let j = 0; j < count; j += 4) {
        const score = v128.load(scratch + 4 * j);
        const e = v128.and(exp4(f32x4.sub(score, splat(top))), f32x4.gt(score, splat(MASKED)));
        v128.store(scratch + 4 * j, e);
        total = f32x4.add(total, e);
      }
      const inverse: f32 = 1 / sumOf(total);
      store<f32>(state, top);
      store<f32>(state, inverse, 4);
      let value = values + shared;
      if (width !== 16) {
        memory.fill(out, 0, bytes);
        for (let j = 0; j < count; j++, value += keyStride) {
          addScaled(out, splat(load<f32>(scratch + 4 * j) * inverse), value, bytes);
        }
        continue;
      }
      let a = splat(0);
      let b = a;
      let c = a;
      let d = a;
      for (let j = 0; j < count; j++, value += keyStride) {
        const p = splat(load<f32>(scratch + 4 * j) * inverse);
        a = addProduct(a, p, v128.load(value));
        b = addProduct(b, p, v128.load(value, 16));
        c = addProduct(c, p, v128.load(value, 32));
        d = addProduct(d, p, v128.load(value, 48));
      }
      v128.store(out, a);
      v128.store(out, b, 16);
      v128.store(out, c, 32);
      v128.store(out, d, 48);
    }
  }
}

/**
 * Adds to the gradients of keys and values, and writes those of the queries of the rows that were computed.
 * @param projected [rows, stride] queries, keys, values @param dProjected the same @param gradient as `out`
 * @param scratch [2, context + 4]; probabilities, then slopes of the scores @param scratchBytes of one of the two
 */
export function attendBack(
  rows: usize,
  targets: usize,
  projected: usize,
  stride: usize,
  out: usize,
  state: usize,
  gradient: usize,
  dProjected: usize,
  n: i32,
  heads: i32,
  keyHeads: i32,
  width: i32,
  scratch: usize,
  scratchBytes: usize,
): void {
  const bytes = usize(4 * width);
  const scale: f32 = 1 / sqrt<f32>(f32(width));
  const slopes = scratch + scratchBytes;
  for (let i = 0; i < n; i++) {
    const row: usize = targets ? load<u32>(targets + 8 * i) : i;
    const count = load<i32>(rows + ROW * row, 8) + 1;
    const first = stride * load<u32>(rows + ROW * row, 12);
    for (let h = 0; h < heads; h++, out += bytes, gradient += bytes, state += 8) {
      const query = projected + stride * row + bytes * h;
      const dQuery = dProjected + stride * row + bytes * h;
      const shared = first + bytes * (heads + (h * keyHeads) / heads);
      const valueOffset = bytes * keyHeads;
      let key = projected + shared;
      let dKey = dProjected + shared;
      let dValue = dKey + valueOffset;
      scores(query, key, stride, count, width, scale, scratch);
      scores(gradient, key + valueOffset, stride, count, width, 1, slopes);
      const top = splat(load<f32>(state));
      const inverse = splat(load<f32>(state, 4));
      const along = splat(dot(gradient, out, bytes));
      for (let j = 0; j < count; j += 4) {
        const p = f32x4.mul(exp4(f32x4.sub(v128.load(scratch + 4 * j), top)), inverse);
        v128.store(scratch + 4 * j, p);
        const d = f32x4.mul(p, f32x4.sub(v128.load(slopes + 4 * j), along));
        v128.store(slopes + 4 * j, f32x4.mul(d, splat(scale)));
      }
      if (width !== 16) {
        memory.fill(dQuery, 0, bytes);
        for (let j = 0; j < count; j++, key += stride, dKey += stride, dValue += stride) {
          const slope = v128.load_splat<f32>(slopes + 4 * j);
          addScaled(dValue, v128.load_splat<f32>(scratch + 4 * j), gradient, bytes);
          addScaled(dKey, slope, query, bytes);
          addScaled(dQuery, slope, key, bytes);
        }
        continue;
      }
      const g0 = v128.load(gradient);
      const g1 = v128.load(gradient, 16);
      const g2 = v128.load(gradient, 32);
      const g3 = v128.load(gradient, 48);
      const q0 = v128.load(query);
      const q1 = v128.load(query, 16);
      const q2 = v128.load(query, 32);
      const q3 = v128.load(query, 48);
      let a = splat(0);
      let b = a;
      let c = a;
      let d = a;
      for (let j = 0; j < count; j++, key += stride, dKey += stride, dValue += stride) {
        const p = v128.load_splat<f32>(scratch + 4 * j);
        v128.store(dValue, addProduct(v128.load(dValue), p, g0));
        v128.store(dValue, addProduct(v128.load(dValue, 16), p, g1), 16);
        v128.store(dValue, addProduct(v128.load(dValue, 32), p, g2), 32);
        v128.store(dValue, addProduct(v128.load(dValue, 48), p, g3), 48);
        const slope = v128.load_splat<f32>(slopes + 4 * j);
        v128.store(dKey, addProduct(v128.load(dKey), slope, q0));
        v128.store(dKey, addProduct(v128.load(dKey, 16), slope, q1), 16);
        v128.store(dKey, addProduct(v128.load(dKey, 32), slope, q2), 32);
        v128.store(dKey, addProduct(v128.load(dKey, 48), slope, q3), 48);
        a = addProduct(a, slope, v128.load(key));
        b = addProduct(b, slope, v128.load(key, 16));
        c = addProduct(c, slope, v128.load(key, 32));
        d = addProduct(d, slope, v128.load(key, 48));
      }
      v128.store(dQuery, a);
      v128.store(dQuery, b, 16);
      v128.store(dQuery, c, 32);
      v128.store(dQuery, d, 48);
    }
  }
}
