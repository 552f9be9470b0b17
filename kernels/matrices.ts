import { addProduct, splat } from './lanes';

/**
 * C [M, N] = A B, or C += A B. Element (i, k) of A is at A + i rowStride + k columnStride, so that A may be transposed. B and C are
 * row-major, N is a multiple of 8. A tile of 4 rows and 8 columns stays in registers; rows past the last tile go one at a time,
 * with the same order of sums.
 */
export function product(
  A: usize,
  rowStride: usize,
  columnStride: usize,
  B: usize,
  strideB: usize,
  C: usize,
  strideC: usize,
  M: i32,
  N: i32,
  K: i32,
  add: bool,
): void {
  let i = 0;
  for (; i + 4 <= M; i += 4) {
    for (let j = 0; j < N; j += 8) {
      const c0 = C + strideC * i + 4 * j;
      const c1 = c0 + strideC;
      const c2 = c1 + strideC;
      const c3 = c2 + strideC;
      let a = splat(0);
      let b = a;
      let c = a;
      let d = a;
      let e = a;
      let f = a;
      let g = a;
      let h = a;
      if (add) {
        a = v128.load(c0);
        b = v128.load(c0, 16);
        c = v128.load(c1);
        d = v128.load(c1, 16);
        e = v128.load(c2);
        f = v128.load(c2, 16);
        g = v128.load(c3);
        h = v128.load(c3, 16);
      }
      let p = A + rowStride * i;
      let q = p + rowStride;
      let r = q + rowStride;
      let s = r + rowStride;
      let w = B + 4 * j;
      let k = K;
      // Tested at its end: 57 instead of 52 GFLOP/s.
      do {
        const u = v128.load(w);
        const v = v128.load(w, 16);
        let x = v128.load_splat<f32>(p);
        a = addProduct(a, x, u);
        b = addProduct(b, x, v);
        x = v128.load_splat<f32>(q);
        c = addProduct(c, x, u);
        d = addProduct(d, x, v);
        x = v128.load_splat<f32>(r);
        e = addProduct(e, x, u);
        f = addProduct(f, x, v);
        x = v128.load_splat<f32>(s);
        g = addProduct(g, x, u);
        h = addProduct(h, x, v);
        p += columnStride;
        q += columnStride;
        r += columnStride;
        s += columnStride;
        w += strideB;
      } while (--k);
      v128.store(c0, a);
      v128.store(c0, b, 16);
      v128.store(c1, c);
      v128.store(c1, d, 16);
      v128.store(c2, e);
      v128.store(c2, f, 16);
      v128.store(c3, g);
      v128.store(c3, h, 16);
    }
  }
  for (; i < M; i++) {
    for (let j = 0; j < N; j += 8) {
      const c0 = C + strideC * i + 4 * j;
      let a = splat(0);
      let b = a;
      if (add) {
        a = v128.load(c0);
        b = v128.load(c0, 16);
      }
      let p = A + rowStride * i;
      let w = B + 4 * j;
      for (let k = K; k > 0; k--) {
        const x = v128.load_splat<f32>(p);
        a = addProduct(a, x, v128.load(w));
        b = addProduct(b, x, v128.load(w, 16));
        p += columnStride;
        w += strideB;
      }
      v128.store(c0, a);
      v128.store(c0, b, 16);
    }
  }
}

/** [rows, columns] to [columns, stride / 4]; numbers after `rows` in a row of the result stays. */
export function transpose(from: usize, rows: i32, columns: i32, to: usize, stride: usize): void {
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) store<f32>(to + stride * j + 4 * i, load<f32>(from + 4 * (i * columns + j)));
  }
}

export function copy(to: usize, from: usize, bytes: usize): void {
  memory.copy(to, from, bytes);
}

export function clear(at: usize, bytes: usize): void {
  memory.fill(at, 0, bytes);
}

/** Copies the rows of the targets to consecutive rows. @param targets [n] row, token */
export function gather(to: usize, from: usize, targets: usize, n: i32, bytes: usize): void {
  for (let i = 0; i < n; i++) memory.copy(to + bytes * i, from + bytes * load<u32>(targets + 8 * i), bytes);
}

/** The opposite of gather. */
export function scatter(to: usize, from: usize, targets: usize, n: i32, bytes: usize): void {
  for (let i = 0; i < n; i++) memory.copy(to + bytes * load<u32>(targets + 8 * i), from + bytes * i, bytes);
}
