import { addProduct, exp4, splat, sumOf } from './lanes';

/** Bytes of a row: token, token before it (-1: none), position, first row of its sequence. */
const ROW: usize = 16;

/** Embeddings, and `smear` (0: none) times those of the tokens before. */
export function embed(rows: usize, embedding: usize, smear: usize, to: usize, n: i32, dim: i32): void {
  const bytes = usize(4 * dim);
  for (let i = 0; i < n; i++, rows += ROW, to += bytes) {
    const current = embedding + bytes * load<u32>(rows);
    const before = load<i32>(rows, 4);
    if (!smear || before < 0) {
      memory.copy(to, current, bytes);
      continue;
    }
    const previous = embedding + bytes * before;
    for (let j: usize = 0; j < bytes; j += 16) {
      v128.store(to + j, addProduct(v128.load(current + j), v128.load(smear + j), v128.load(previous + j)));
    }
  }
}

/** Adds to the gradients of the embedding and of smear. */
export function embedBack(
  rows: usize,
  embedding: usize,
  smear: usize,
  gradient: usize,
  dEmbedding: usize,
  dSmear: usize,
  n: i32,
  dim: i32,
): void {
  const bytes = usize(4 * dim);
  for (let i = 0; i < n; i++, rows += ROW, gradient += bytes) {
    const current = dEmbedding + bytes * load<u32>(rows);
    const before = load<i32>(rows, 4);
    for (let j: usize = 0; j < bytes; j += 16) {
      v128.store(current + j, f32x4.add(v128.load(current + j), v128.load(gradient + j)));
    }
    if (!smear || before < 0) continue;
    const previous = embedding + bytes * before;
    const dPrevious = dEmbedding + bytes * before;
    for (let j: usize = 0; j < bytes; j += 16) {
      const d = v128.load(gradient + j);
      v128.store(dPrevious + j, addProduct(v128.load(dPrevious + j), v128.load(smear + j), d));
      v128.store(dSmear + j, addProduct(v128.load(dSmear + j), d, v128.load(previous + j)));
    }
  }
}

/** RMSNorm (Zhang and Sennrich 2019). */
export function norm(x: usize, weight: usize, to: usize, n: i32, dim: i32, epsilon: f32): void {
  const bytes = usize(4 * dim);
  for (let i = 0; i < n; i++, x += bytes, to += bytes) {
    let squares = splat(0);
    for (let j: usize = 0; j < bytes; j += 16) {
      const v = v128.load(x + j);
      squares = addProduct(squares, v, v);
    }
    const scale = splat(1 / sqrt<f32>(sumOf(squares) / f32(dim) + epsilon));
    for (let j: usize = 0; j < bytes; j += 16) {
      v128.store(to + j, f32x4.mul(f32x4.mul(v128.load(x + j), scale), v128.load(weight + j)));
    }
  }
}

/** Adds to the gradients of x and of the weight. */
export function normBack(
  x: usize,
  weight: usize,
  gradient: usize,
  dx: usize,
  dWeight: usize,
  n: i32,
  dim: i32,
  epsilon: f32,
): void {
  const bytes = usize(4 * dim);
  for (let i = 0; i < n; i++, x += bytes, gradient += bytes, dx += bytes) {
    let squares = splat(0);
    let along = splat(0);
    for (let j: usize = 0; j < bytes; j += 16) {
      const v = v128.load(x + j);
      squares = addProduct(squares, v, v);
      along = addProduct(along, f32x4.mul(v128.load(gradient + j), v128.load(weight + j)), v);
    }
    const s: f32 = 1 / sqrt<f32>(sumOf(squares) / f32(dim) + epsilon);
    const scale = splat(s);
    const back = splat(s * s * s * (sumOf(along) / f32(dim)));
    for (let j: usize = 0; j < bytes; j += 16) {
      const v = v128.load(x + j);
      const d = v128.load(gradient + j);
      const direct = f32x4.mul(f32x4.mul(d, v128.load(weight + j)), scale);
      v128.store(dx + j, f32x4.add(v128.load(dx + j), f32x4.sub(direct, f32x4.mul(v, back))));
      v128.store(dWeight + j, addProduct(v128.load(dWeight + j), d, f32x4.mul(v, scale)));
    }
  }
}

/** SwiGLU (Shazeer 2020): gate / (1 + exp(-gate)) up. @param gateUp [n, 2 width] */
export function swiglu(gateUp: usize, to: usize, n: i32, width: i32): void {
  const bytes = usize(4 * width);
  for (let i = 0; i < n; i++, gateUp += 2 * bytes, to += bytes) {
    for (let j: usize = 0; j < bytes; j += 16) {
      const gate = v128.load(gateUp + j);
      const active = f32x4.div(gate, f32x4.add(splat(1), exp4(f32x4.neg(gate))));
      v128.store(to + j, f32x4.mul(active, v128.load(gateUp + bytes + j)));
    }
  }
}

/** In place: gate and up become their gradients. */
export function swigluBack(gateUp: usize, gradient: usize, n: i32, width: i32): void {
  const bytes = usize(4 * width);
  for (let i = 0; i < n; i++, gateUp += 2 * bytes, gradient += bytes) {
    for (let j: usize = 0; j < bytes; j += 16) {
      const gate = v128.load(gateUp + j);
      const up = v128.load(gateUp + bytes + j);
      const d = v128.load(gradient + j);
      const sigmoid = f32x4.div(splat(1), f32x4.add(splat(1), exp4(f32x4.neg(gate))));
      const active = f32x4.mul(gate, sigmoid);
      v128.store(gateUp + bytes + j, f32x4.mul(d, active));
      const slope = addProduct(sigmoid, active, f32x4.sub(splat(1), sigmoid));
      v128.store(gateUp + j, f32x4.mul(f32x4.mul(d, up), slope));
    }
  }
}
