import { addProduct, splat } from './lanes';

/** Sum of squares in float64, in order. */
export function squares(x: usize, n: i32): f64 {
  let sum: f64 = 0;
  for (let i = 0; i < n; i++) {
    const value = f64(load<f32>(x + 4 * i));
    sum += value * value;
  }
  return sum;
}

/** AdamW (Loshchilov and Hutter 2019) on n parameters, a multiple of 4, with one weight decay. @param clip factor of the gradient */
export function adamw(
  parameters: usize,
  gradient: usize,
  first: usize,
  second: usize,
  n: i32,
  clip: f32,
  rate: f32,
  beta1: f32,
  beta2: f32,
  epsilon: f32,
  decay: f32,
  correction1: f32,
  correction2: f32,
): void {
  const rest1 = splat(1 - beta1);
  const rest2 = splat(1 - beta2);
  const remaining = splat(1 - rate * decay);
  for (let i: usize = 0; i < usize(4 * n); i += 16) {
    const g = f32x4.mul(v128.load(gradient + i), splat(clip));
    const m = addProduct(f32x4.mul(splat(beta1), v128.load(first + i)), rest1, g);
    const v = addProduct(f32x4.mul(splat(beta2), v128.load(second + i)), f32x4.mul(rest2, g), g);
    v128.store(first + i, m);
    v128.store(second + i, v);
    const root = f32x4.add(f32x4.sqrt(f32x4.div(v, splat(correction2))), splat(epsilon));
    const step = f32x4.div(f32x4.div(m, splat(correction1)), root);
    const moved = f32x4.sub(f32x4.mul(v128.load(parameters + i), remaining), f32x4.mul(splat(rate), step));
    v128.store(parameters + i, moved);
  }
}
