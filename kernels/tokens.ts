import { addProduct, addScaled, dot, exp1, exp4, largestOf, log1, splat, sumOf } from './lanes';

/** Bytes of a target's row, token; and of a distribution's log-sum-exp, log-probability, entropy, value. */
const TARGET: usize = 8;
const OUTPUT: usize = 16;
/** Runs of neighbouring tokens whose sums are taken apart when a token is drawn (LANES of shaders/policy/sample.wgsl). */
const RUNS = 32;
const LOWEST: f32 = -3e38;

function largest(logits: usize, vocabulary: i32): f32 {
  let tops = splat(LOWEST);
  let v = 0;
  for (; v + 4 <= vocabulary; v += 4) tops = f32x4.pmax(tops, v128.load(logits + 4 * v));
  let top = largestOf(tops);
  for (; v < vocabulary; v++) top = max(top, load<f32>(logits + 4 * v));
  return top;
}

/** Address of the logits of draw or target i. @param sources [n] row of the logits; 0 for all in order */
function rowOf(logits: usize, stride: usize, sources: usize, i: i32): usize {
  return logits + stride * (sources ? load<u32>(sources + 4 * i) : i);
}

/** At temperature 1, of each target. @param to [n] log-sum-exp, log-probability of the token, entropy, 0 */
export function distribution(
  logits: usize,
  stride: usize,
  vocabulary: i32,
  sources: usize,
  targets: usize,
  to: usize,
  n: i32,
): void {
  for (let i = 0; i < n; i++, targets += TARGET, to += OUTPUT) {
    const row = rowOf(logits, stride, sources, i);
    const top = largest(row, vocabulary);
    let exponentials = splat(0);
    let products = splat(0);
    let v = 0;
    for (; v + 4 <= vocabulary; v += 4) {
      const centred = f32x4.sub(v128.load(row + 4 * v), splat(top));
      const e = exp4(centred);
      exponentials = f32x4.add(exponentials, e);
      products = addProduct(products, e, centred);
    }
    let total = sumOf(exponentials);
    let along = sumOf(products);
    for (; v < vocabulary; v++) {
      const centred = load<f32>(row + 4 * v) - top;
      const e = exp1(centred);
      total += e;
      along += e * centred;
    }
    const logTotal = f32(log1(total));
    store<f32>(to, top + logTotal);
    store<f32>(to, load<f32>(row + 4 * load<u32>(targets, 4)) - top - logTotal, 4);
    store<f32>(to, logTotal - along / total, 8);
    store<f32>(to, 0, 12);
  }
}

/** Probability of one token in each of n distributions, to their fourth number. */
export function probability(logits: usize, stride: usize, sources: usize, token: i32, outputs: usize, n: i32): void {
  for (let i = 0; i < n; i++, outputs += OUTPUT) {
    const logit = load<f32>(rowOf(logits, stride, sources, i) + 4 * token);
    store<f32>(outputs, exp1(logit - load<f32>(outputs)), 12);
  }
}

/** In place: logits become their gradients. @param slopes [n] of the loss by log-probability, entropy, value, unused */
export function logitsBack(
  logits: usize,
  stride: usize,
  vocabulary: i32,
  targets: usize,
  outputs: usize,
  slopes: usize,
  n: i32,
): void {
  for (let i = 0; i < n; i++, logits += stride, targets += TARGET, outputs += OUTPUT, slopes += 16) {
    const logTotal = v128.load_splat<f32>(outputs);
    const entropy = v128.load_splat<f32>(outputs, 8);
    const slope = load<f32>(slopes);
    const bySlope = splat(slope);
    const byEntropy = v128.load_splat<f32>(slopes, 4);
    for (let v: usize = 0; v < stride; v += 16) {
      const logProbability = f32x4.sub(v128.load(logits + v), logTotal);
      const p = exp4(logProbability);
      const sum = addProduct(f32x4.mul(bySlope, p), f32x4.mul(byEntropy, p), f32x4.add(logProbability, entropy));
      v128.store(logits + v, f32x4.neg(sum));
    }
    for (let v = usize(4 * vocabulary); v < stride; v += 4) store<f32>(logits + v, 0);
    const at = logits + 4 * load<u32>(targets, 4);
    store<f32>(at, load<f32>(at) + slope);
  }
}

/** The value head, to the fourth number of each output. */
export function values(x: usize, weight: usize, outputs: usize, n: i32, dim: i32): void {
  const bytes = usize(4 * dim);
  for (let i = 0; i < n; i++, x += bytes, outputs += OUTPUT) store<f32>(outputs, dot(x, weight, bytes), 12);
}

/** Adds to the gradients of x and of the value head. */
export function valuesBack(x: usize, weight: usize, slopes: usize, dx: usize, dWeight: usize, n: i32, dim: i32): void {
  const bytes = usize(4 * dim);
  for (let i = 0; i < n; i++, x += bytes, dx += bytes, slopes += 16) {
    const slope = v128.load_splat<f32>(slopes, 8);
    addScaled(dx, slope, weight, bytes);
    addScaled(dWeight, slope, x, bytes);
  }
}

/** Number and tempered mass of the tokens whose logit is at least `threshold`. */
let above: i32 = 0;
let mass: f32 = 0;
function measure(logits: usize, vocabulary: i32, threshold: f32, top: f32, inverse: f32): void {
  above = 0;
  mass = 0;
  for (let v = 0; v < vocabulary; v++) {
    const logit = load<f32>(logits + 4 * v);
    if (logit < threshold) continue;
    above++;
    mass += exp1((logit - top) * inverse);
  }
}

/** The highest threshold between `bottom` and `top` that lets through so many tokens and so much mass, by bisection. */
function threshold(logits: usize, vocabulary: i32, bottom: f32, top: f32, inverse: f32, tokens: i32, goal: f32): f32 {
  measure(logits, vocabulary, top, top, inverse);
  if (above >= tokens && mass >= goal) return top;
  let passing = bottom;
  let cut = top;
  for (let i = 0; i < 40; i++) {
    const middle: f32 = 0.5 * (passing + cut);
    measure(logits, vocabulary, middle, top, inverse);
    if (above >= tokens && mass >= goal) passing = middle;
    else cut = middle;
  }
  return passing;
}

/** The lowest logit that top-k and then top-p let through (shaders/policy/truncate.wgsl). @param to [n] */
export function thresholds(
  logits: usize,
  stride: usize,
  vocabulary: i32,
  sources: usize,
  inverse: f32,
  topK: i32,
  topP: f32,
  to: usize,
  n: i32,
): void {
  for (let i = 0; i < n; i++) {
    const row = rowOf(logits, stride, sources, i);
    const top = largest(row, vocabulary);
    let lowest = top;
    for (let v = 0; v < vocabulary; v++) lowest = min(lowest, load<f32>(row + 4 * v));
    if (topK > 0 && topK < vocabulary) lowest = threshold(row, vocabulary, lowest, top, inverse, topK, 0);
    if (topP < 1) {
      measure(row, vocabulary, lowest, top, inverse);
      lowest = threshold(row, vocabulary, lowest, top, inverse, 1, topP * mass);
    }
    store<f32>(to + 4 * i, lowest);
  }
}

/** Tempered probabilities of all tokens before they are normalised; 0 below the threshold. Up to three more are written. */
function weigh(logits: usize, vocabulary: i32, top: f32, inverse: f32, least: f32, to: usize): void {
  for (let v = 0; v < vocabulary; v += 4) {
    const four = v128.load(logits + 4 * v);
    const weights = exp4(f32x4.mul(f32x4.sub(four, splat(top)), splat(inverse)));
    v128.store(to + 4 * v, v128.and(weights, f32x4.ge(four, splat(least))));
  }
}

/**
 * Draws a token by inverting the cumulative distribution, as shaders/policy/sample.wgsl does: over 32 runs of tokens first, then
 * within one.
 * @param uniforms [n] from 0 to 1 @param least [n] lowest logit that may be drawn; 0 for no limit
 * @param targets [n] row, token: the token is written @param scratch [32 + vocabulary + 3]
 */
export function draw(
  logits: usize,
  stride: usize,
  vocabulary: i32,
  sources: usize,
  uniforms: usize,
  inverse: f32,
  least: usize,
  targets: usize,
  scratch: usize,
  n: i32,
): void {
  const length = (vocabulary + RUNS - 1) / RUNS;
  const weights = scratch + 4 * RUNS;
  for (let i = 0; i < n; i++) {
    const row = rowOf(logits, stride, sources, i);
    const lowest: f32 = least ? load<f32>(least + 4 * i) : LOWEST;
    weigh(row, vocabulary, largest(row, vocabulary), inverse, lowest, weights);
    let total: f32 = 0;
    for (let run = 0; run < RUNS; run++) {
      let sum: f32 = 0;
      const end = min((run + 1) * length, vocabulary);
      for (let v = run * length; v < end; v++) sum += load<f32>(weights + 4 * v);
      store<f32>(scratch + 4 * run, sum);
      total += sum;
    }
    const goal = load<f32>(uniforms + 4 * i) * total;
    // The last run with any weight in which the sum passes the goal, then the token in it; rounding cannot run past.
    let before: f32 = 0;
    let chosen = 0;
    for (let run = 0; run < RUNS; run++) {
      const part = load<f32>(scratch + 4 * run);
      const next = before + part;
      if (part > 0) {
        chosen = run;
        if (next > goal) break;
      }
      before = next;
    }
    let token = 0;
    let reached = before;
    const end = min((chosen + 1) * length, vocabulary);
    for (let v = chosen * length; v < end; v++) {
      const part = load<f32>(weights + 4 * v);
      if (part > 0) {
        token = v;
        reached += part;
        if (reached > goal) break;
      }
    }
    store<i32>(targets + TARGET * i, token, 4);
  }
}
