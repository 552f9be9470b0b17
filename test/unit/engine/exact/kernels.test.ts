import { describe, expect, test } from 'vitest';
import { ExactDevice } from '../../../../src/engine/exact/exactDevice.ts';
import { expectClose } from '../../../vectorFile.ts';
import { KernelMemory } from './kernelMemory.ts';

const memory = await KernelMemory.open();
const { kernels } = memory;

/** Returns the rows of sequences of these lengths: token, previous token, position, first row of the sequence. */
function rowsOf(lengths: readonly number[], vocabulary: number): number[][] {
  let first = 0;
  return lengths.flatMap((length, s) => {
    const token = (t: number) => (7 * s + 3 * t) % vocabulary;
    const rows = Array.from({ length }, (_, t) => [token(t), t > 0 ? token(t - 1) : -1, t, first]);
    first += length;
    return rows;
  });
}

describe('matrix product kernel', () => {
  test.each([
    [1, 8, 1],
    [4, 8, 64],
    [7, 24, 13],
    [33, 192, 64],
  ])('product with M = %d, N = %d and K = %d computes A B, and adds it to C on request', (M, N, K) => {
    const [A, B, C] = [memory.normal(M * K), memory.normal(K * N), memory.normal(M * N)];
    const at = memory.put(C);
    kernels.product(memory.put(A), 4 * K, 4, memory.put(B), 4 * N, at, 4 * N, M, N, K, 1);
    const sum = (i: number, j: number) => A.slice(i * K, (i + 1) * K).reduce((s, a, k) => s + a * B[k * N + j], 0);
    const expected = C.map((c, index) => c + sum(Math.floor(index / N), index % N));
    expectClose(memory.read(at, M * N), expected, 1e-5);
    kernels.product(memory.put(A), 4 * K, 4, memory.put(B), 4 * N, at, 4 * N, M, N, K, 0);
    expectClose(
      memory.read(at, M * N),
      expected.map((value, index) => value - C[index]),
      1e-5,
    );
  });

  test('product reads a transposed A by its strides', () => {
    const [M, N, K] = [5, 16, 6];
    const [A, B] = [memory.normal(K * M), memory.normal(K * N)];
    const at = memory.zeros(M * N);
    kernels.product(memory.put(A), 4, 4 * M, memory.put(B), 4 * N, at, 4 * N, M, N, K, 0);
    const expected = Array.from({ length: M * N }, (_, index) =>
      Array.from({ length: K }, (_, k) => A[k * M + Math.floor(index / N)] * B[k * N + (index % N)]).reduce(
        (a, b) => a + b,
      ),
    );
    expectClose(memory.read(at, M * N), expected, 1e-5);
  });

  test('product computes the same bits for a row regardless of the number of rows', () => {
    const [N, K] = [64, 176];
    const [A, B] = [memory.normal(7 * K), memory.normal(K * N)];
    const [a, b, all, single] = [memory.put(A), memory.put(B), memory.zeros(7 * N), memory.zeros(N)];
    kernels.product(a, 4 * K, 4, b, 4 * N, all, 4 * N, 7, N, K, 0);
    for (let i = 0; i < 7; i++) {
      kernels.product(a + 4 * K * i, 4 * K, 4, b, 4 * N, single, 4 * N, 1, N, K, 0);
      expect(memory.read(single, N)).toEqual(memory.read(all + 4 * N * i, N));
    }
  });
});

describe('copy kernels', () => {
  test('transpose does not write to the padding of rows', () => {
    const at = memory.zeros(3 * 8);
    kernels.transpose(memory.put([1, 2, 3, 4, 5, 6]), 2, 3, at, 32);
    expect(memory.read(at, 24)).toEqual([1, 4, 0, 0, 0, 0, 0, 0, 2, 5, 0, 0, 0, 0, 0, 0, 3, 6, 0, 0, 0, 0, 0, 0]);
  });

  test('gather copies the rows of targets, scatter writes them back, and clear sets numbers to 0', () => {
    const from = memory.put([1, 2, 3, 4, 5, 6]);
    const targets = memory.putIntegers([2, 9, 0, 9]);
    const at = memory.zeros(4);
    kernels.gather(at, from, targets, 2, 8);
    expect(memory.read(at, 4)).toEqual([5, 6, 1, 2]);
    kernels.clear(from, 24);
    kernels.scatter(from, at, targets, 2, 8);
    expect(memory.read(from, 6)).toEqual([1, 2, 0, 0, 5, 6]);
    kernels.copy(from + 8, from, 8);
    expect(memory.read(from, 6)).toEqual([1, 2, 1, 2, 5, 6]);
  });
});

describe('row kernels', () => {
  const [dim, vocabulary] = [12, 9];
  const rows = rowsOf([3, 2], vocabulary);

  test.each([true, false])('embed and its gradients match their formulas with smear %s', (smears) => {
    const [E, smear, d] = [memory.normal(vocabulary * dim), memory.normal(dim), memory.normal(rows.length * dim)];
    const [rowsAt, to] = [memory.putIntegers(rows.flat()), memory.zeros(rows.length * dim)];
    const [eAt, smearAt] = [memory.put(E), smears ? memory.put(smear) : 0];
    kernels.embed(rowsAt, eAt, smearAt, to, rows.length, dim);
    const [dE, dSmear] = [new Float64Array(E.length).fill(0.5), new Float64Array(dim).fill(0.25)];
    const expected = rows.flatMap(([token, before], i) =>
      smear.map((s, j) => {
        const previous = smears && before >= 0 ? E[before * dim + j] : 0;
        dE[token * dim + j] += d[i * dim + j];
        if (smears && before >= 0) dE[before * dim + j] += s * d[i * dim + j];
        dSmear[j] += d[i * dim + j] * previous;
        return E[token * dim + j] + s * previous;
      }),
    );
    expectClose(memory.read(to, rows.length * dim), expected, 1e-6);
    const [dEAt, dSmearAt] = [memory.put(E.map(() => 0.5)), memory.put(smear.map(() => 0.25))];
    kernels.embedBack(rowsAt, eAt, smearAt, memory.put(d), dEAt, dSmearAt, rows.length, dim);
    expectClose(memory.read(dEAt, E.length), dE, 1e-5);
    expectClose(memory.read(dSmearAt, dim), dSmear, 1e-5);
  });

  test('RMSNorm matches its formula, and its backward pass adds to the gradients', () => {
    const n = 3;
    const [x, w, d] = [memory.normal(n * dim), memory.normal(dim), memory.normal(n * dim)];
    const [xAt, wAt, to] = [memory.put(x), memory.put(w), memory.zeros(n * dim)];
    kernels.norm(xAt, wAt, to, n, dim, 1e-5);
    const scale = (row: readonly number[]) => 1 / Math.sqrt(row.reduce((s, v) => s + v * v, 0) / dim + 1e-5);
    const normed = (row: readonly number[]) => row.map((v, j) => v * scale(row) * w[j]);
    const rowOf = (all: readonly number[], i: number) => all.slice(i * dim, (i + 1) * dim);
    expectClose(
      memory.read(to, n * dim),
      [0, 1, 2].flatMap((i) => normed(rowOf(x, i))),
      1e-6,
    );
    const [dx, dw] = [memory.put(x.map(() => 1)), memory.put(w.map(() => 2))];
    kernels.normBack(xAt, wAt, memory.put(d), dx, dw, n, dim, 1e-5);
    const slope = (i: number, k: number) => {
      const along = (h: number) =>
        normed(rowOf(x, i).map((v, j) => (j === k ? v + h : v))).reduce((s, v, j) => s + v * d[i * dim + j], 0);
      return (along(1e-4) - along(-1e-4)) / 2e-4;
    };
    expectClose(
      memory.read(dx, n * dim),
      x.map((_, at) => 1 + slope(Math.floor(at / dim), at % dim)),
      1e-4,
    );
    const byWeight = w.map((_, j) =>
      [0, 1, 2].reduce((s, i) => s + d[i * dim + j] * x[i * dim + j] * scale(rowOf(x, i)), 2),
    );
    expectClose(memory.read(dw, dim), byWeight, 1e-5);
  });

  test('SwiGLU matches its formula, and its backward pass works in place', () => {
    const [n, width] = [2, 8];
    const [gateUp, d] = [memory.normal(2 * n * width, 4), memory.normal(n * width)];
    const [at, to] = [memory.put(gateUp), memory.zeros(n * width)];
    kernels.swiglu(at, to, n, width);
    const pick = (index: number) => {
      const [i, j] = [Math.floor(index / width), index % width];
      const [gate, up] = [gateUp[2 * i * width + j], gateUp[(2 * i + 1) * width + j]];
      const sigmoid = 1 / (1 + Math.exp(-gate));
      return { i, j, gate, up, sigmoid, d: d[index] };
    };
    const parts = d.map((_, index) => pick(index));
    expectClose(
      memory.read(to, n * width),
      parts.map(({ gate, up, sigmoid }) => gate * sigmoid * up),
      2e-6,
    );
    kernels.swigluBack(at, memory.put(d), n, width);
    const expected = new Array<number>(gateUp.length);
    for (const { i, j, gate, up, sigmoid, d: slope } of parts) {
      expected[2 * i * width + j] = slope * up * (sigmoid + gate * sigmoid * (1 - sigmoid));
      expected[(2 * i + 1) * width + j] = slope * gate * sigmoid;
    }
    expectClose(memory.read(at, gateUp.length), expected, 2e-6);
  });
});

describe('attention kernels', () => {
  test.each([4, 8, 16])('rotate rotates heads of width %d by their position, and reverses the rotation', (width) => {
    const [heads, spare] = [2, 4];
    const rows = rowsOf([3, 2], 9);
    const stride = heads * width + spare;
    const half = width / 2;
    const x = memory.normal(rows.length * stride);
    const angle = (position: number, i: number) => position * 0.3 + i;
    const table = [0, 1, 2].flatMap((position) => [
      ...Array.from({ length: half }, (_, i) => Math.cos(angle(position, i))),
      ...Array.from({ length: half }, (_, i) => Math.sin(angle(position, i))),
    ]);
    const [at, rowsAt, tableAt] = [memory.put(x), memory.putIntegers(rows.flat()), memory.put(table)];
    kernels.rotate(at, rowsAt, tableAt, rows.length, heads, width, 4 * stride, 1);
    const expected = x.map((value, index) => {
      const [row, column] = [Math.floor(index / stride), index % stride];
      if (column >= heads * width) return value;
      const i = column % width;
      const partner = i < half ? -x[index + half] : x[index - half];
      const turn = angle(rows[row][2], i % half);
      return value * Math.cos(turn) + partner * Math.sin(turn);
    });
    expectClose(memory.read(at, x.length), expected, 1e-6);
    kernels.rotate(at, rowsAt, tableAt, rows.length, heads, width, 4 * stride, -1);
    expectClose(memory.read(at, x.length), x, 1e-6);
  });

  test('store writes keys and values of rows to their positions in the cache', () => {
    const cache = memory.zeros(2 * 8);
    kernels.store(memory.put([1, 2, 9, 3, 4, 9]), memory.putIntegers([0, 0, 1, 2, 0, 0, 3, 4]), cache, 2, 12, 8);
    expect(memory.read(cache, 16)).toEqual([0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 3, 4]);
  });

  test.each([
    { width: 16, heads: 4, keyHeads: 2, some: false },
    { width: 16, heads: 2, keyHeads: 2, some: true },
    { width: 8, heads: 4, keyHeads: 1, some: true },
    { width: 4, heads: 2, keyHeads: 2, some: false },
  ])(
    'attention with $heads heads of width $width and $keyHeads key heads matches its formula',
    ({ width, heads, keyHeads, some }) => {
      const rows = rowsOf([6, 1, 9], 9);
      const stride = (heads + 2 * keyHeads) * width;
      const computed = some ? [0, 5, 6, 14] : rows.map((_, i) => i);
      const projected = memory.normal(rows.length * stride);
      const d = memory.normal(computed.length * heads * width);
      /** Returns the output of head `h` at a row. Queries, keys and values are read from `from`. */
      const head = (from: ArrayLike<number>, row: number, h: number) => {
        const [, , position, first] = rows[row];
        const shared = Math.floor((h * keyHeads) / heads);
        const key = (j: number, i: number) => from[(first + j) * stride + (heads + shared) * width + i];
        const value = (j: number, i: number) => from[(first + j) * stride + (heads + keyHeads + shared) * width + i];
        const each = Array.from({ length: width }, (_, i) => i);
        const scores = Array.from(
          { length: position + 1 },
          (_, j) => each.reduce((s, i) => s + from[row * stride + h * width + i] * key(j, i), 0) / Math.sqrt(width),
        );
        const exponentials = scores.map((score) => Math.exp(score));
        const total = exponentials.reduce((a, b) => a + b);
        return each.map((i) => exponentials.reduce((s, e, j) => s + (e / total) * value(j, i), 0));
      };
      const outputs = (from: ArrayLike<number>) =>
        computed.flatMap((row) => Array.from({ length: heads }, (_, h) => head(from, row, h)).flat());
      const at = memory.put(projected);
      const rowsAt = memory.putIntegers(rows.flat());
      const targets = some ? memory.putIntegers(computed.flatMap((row) => [row, 0])) : 0;
      const [out, state, scratch] = [
        memory.zeros(d.length),
        memory.zeros(2 * computed.length * heads),
        memory.zeros(64),
      ];
      const keys = at + 4 * heads * width;
      const shape = [computed.length, heads, keyHeads, width, scratch] as const;
      kernels.attend(
        rowsAt,
        targets,
        at,
        4 * stride,
        keys,
        keys + 4 * keyHeads * width,
        4 * stride,
        out,
        state,
        ...shape,
      );
      expectClose(memory.read(out, d.length), outputs(projected), 2e-6);
      const gradient = memory.put(projected.map(() => 0));
      kernels.attendBack(rowsAt, targets, at, 4 * stride, out, state, memory.put(d), gradient, ...shape, 128);
      const loss = (from: ArrayLike<number>) => outputs(from).reduce((s, o, i) => s + o * d[i], 0);
      const read = memory.read(gradient, projected.length);
      // Checks every seventh number by central differences.
      for (let index = 0; index < projected.length; index += 7) {
        const moved = (h: number) => loss(projected.map((value, i) => (i === index ? value + h : value)));
        expect(Math.abs(read[index] - (moved(1e-4) - moved(-1e-4)) / 2e-4)).toBeLessThan(2e-5);
      }
    },
  );
});

describe('token kernels', () => {
  const [vocabulary, stride, dim] = [14, 16, 12];
  const logits = memory.normal(3 * stride, 2);
  const targets = [
    [0, 3],
    [1, 13],
    [2, 0],
  ];
  const row = (i: number) => logits.slice(i * stride, i * stride + vocabulary);
  const softmax = (of: readonly number[]) => {
    const total = of.reduce((s, logit) => s + Math.exp(logit), 0);
    const p = of.map((logit) => Math.exp(logit) / total);
    return { p, total: Math.log(total), entropy: -p.reduce((s, single) => s + single * Math.log(single), 0) };
  };

  test('distribution, probability and the gradient of the logits match the softmax formulas', () => {
    const [at, targetsAt, to] = [memory.put(logits), memory.putIntegers(targets.flat()), memory.zeros(12)];
    kernels.distribution(at, 4 * stride, vocabulary, 0, targetsAt, to, 3);
    kernels.probability(at, 4 * stride, 0, 5, to, 3);
    const expected = targets.flatMap(([, token], i) => {
      const { p, total, entropy } = softmax(row(i));
      return [total, Math.log(p[token]), entropy, p[5]];
    });
    expectClose(memory.read(to, 12), expected, 1e-6);
    const slopes = memory.normal(12);
    kernels.logitsBack(at, 4 * stride, vocabulary, targetsAt, to, memory.put(slopes), 3);
    const gradient = targets.flatMap(([, token], i) => {
      const { p, entropy } = softmax(row(i));
      const slope = (v: number) =>
        slopes[4 * i] * (Number(v === token) - p[v]) - slopes[4 * i + 1] * p[v] * (Math.log(p[v]) + entropy);
      return [...p.map((_, v) => slope(v)), 0, 0];
    });
    expectClose(memory.read(at, gradient.length), gradient, 2e-6);
  });

  test('distribution reads the rows in its list of sources', () => {
    const to = memory.zeros(8);
    const targetsAt = memory.putIntegers([0, 1, 0, 2]);
    kernels.distribution(memory.put(logits), 4 * stride, vocabulary, memory.putIntegers([2, 2]), targetsAt, to, 2);
    const { p } = softmax(row(2));
    expectClose([memory.read(to, 8)[1], memory.read(to, 8)[5]], [Math.log(p[1]), Math.log(p[2])], 1e-6);
  });

  test('values and their gradients match the dot product', () => {
    const [x, w, slopes] = [memory.normal(2 * dim), memory.normal(dim), memory.normal(8)];
    const [xAt, wAt, to] = [memory.put(x), memory.put(w), memory.zeros(8)];
    kernels.values(xAt, wAt, to, 2, dim);
    const value = (i: number) => w.reduce((s, single, j) => s + single * x[i * dim + j], 0);
    expectClose([memory.read(to, 8)[3], memory.read(to, 8)[7]], [value(0), value(1)], 1e-6);
    const [dx, dw] = [memory.put(x.map(() => 1)), memory.put(w.map(() => 1))];
    kernels.valuesBack(xAt, wAt, memory.put(slopes), dx, dw, 2, dim);
    expectClose(
      memory.read(dx, 2 * dim),
      x.map((_, at) => 1 + slopes[4 * Math.floor(at / dim) + 2] * w[at % dim]),
      1e-6,
    );
    expectClose(
      memory.read(dw, dim),
      w.map((_, j) => 1 + slopes[2] * x[j] + slopes[6] * x[dim + j]),
      1e-6,
    );
  });

  test.each([
    [0.5, 0, 1],
    [1, 3, 1],
    [1, 0, 0.6],
    [2, 5, 0.5],
  ])('thresholds at inverse temperature %d retain the tokens of top-k %d and top-p %d', (inverse, topK, topP) => {
    const to = memory.zeros(3);
    kernels.thresholds(memory.put(logits), 4 * stride, vocabulary, 0, inverse, topK, topP, to, 3);
    const allowed = [0, 1, 2].map((i) => {
      const order = row(i)
        .map((logit, v) => ({ logit, v }))
        .sort((a, b) => b.logit - a.logit);
      const first = order.slice(0, topK || vocabulary);
      const mass = (of: typeof order) => of.reduce((s, { logit }) => s + Math.exp(logit * inverse), 0);
      let count = 1;
      while (topP < 1 && mass(first.slice(0, count)) < topP * mass(first)) count++;
      return (topP < 1 ? first.slice(0, count) : first).map(({ v }) => v).sort((a, b) => a - b);
    });
    const passing = memory.read(to, 3).map((least, i) => row(i).flatMap((logit, v) => (logit >= least ? [v] : [])));
    expect(passing).toEqual(allowed);
  });

  test('draw inverts the cumulative distribution of the tokens above the threshold', () => {
    const wide = memory.normal(2 * 136, 2);
    const least = [-1, 0.5];
    const at = memory.put(wide);
    const draws = Array.from({ length: 64 }, (_, i) => (i + 0.5) / 64);
    const [targetsAt, scratch] = [memory.putIntegers(draws.flatMap(() => [0, -1])), memory.zeros(32 + 136)];
    const source = draws.map((_, i) => i % 2);
    const leastAt = memory.put(source.map((row) => least[row]));
    kernels.draw(at, 4 * 136, 133, memory.putIntegers(source), memory.put(draws), 0.7, leastAt, targetsAt, scratch, 64);
    const expected = draws.map((u, i) => {
      const weights = wide
        .slice(source[i] * 136, source[i] * 136 + 133)
        .map((logit) => (logit >= least[source[i]] ? Math.exp(0.7 * logit) : 0));
      let left = u * weights.reduce((a, b) => a + b);
      return weights.findIndex((weight) => {
        left -= weight;
        return left < 0;
      });
    });
    expect(memory.readIntegers(targetsAt, 128).filter((_, i) => i % 2 === 1)).toEqual(expected);
  });
});

describe('optimizer kernels', () => {
  test('squares sums in float64', () => {
    expect(kernels.squares(memory.put([1e4, 1, 1e-4]), 3)).toBe(1e8 + 1 + Math.fround(1e-4) * Math.fround(1e-4));
  });

  test('adamw updates parameters and moments by the AdamW formulas', () => {
    const [p, g, m] = [memory.normal(8), memory.normal(8), memory.normal(8)];
    const v = memory.normal(8).map(Math.abs);
    const at = [p, g, m, v].map((values) => memory.put(values)) as [number, number, number, number];
    kernels.adamw(...at, 8, 0.5, 0.01, 0.9, 0.99, 1e-8, 0.1, 0.19, 0.0199);
    const first = m.map((single, i) => 0.9 * single + 0.05 * g[i]);
    const second = v.map((single, i) => 0.99 * single + 0.01 * 0.25 * g[i] * g[i]);
    const moved = p.map(
      (single, i) => single * 0.999 - (0.01 * first[i]) / 0.19 / (Math.sqrt(second[i] / 0.0199) + 1e-8),
    );
    expectClose(memory.read(at[2], 8), first, 1e-6);
    expectClose(memory.read(at[3], 8), second, 1e-6);
    expectClose(memory.read(at[0], 8), moved, 1e-6);
  });
});

describe('exponential of the kernels', () => {
  test('the exponential has a relative error below 3e-7 from -87 to 88', () => {
    const outputs = memory.zeros(4);
    for (let x = -87; x <= 88; x += 0.37) {
      kernels.probability(memory.put([x]), 16, 0, 0, outputs, 1);
      expect(Math.abs(memory.read(outputs, 4)[3] / Math.exp(Math.fround(x)) - 1)).toBeLessThan(3e-7);
    }
  });
});

describe('ExactDevice.open', () => {
  test('ExactDevice.open rejects bytes that are not a WebAssembly module', async () => {
    await expect(ExactDevice.open(Uint8Array.of(1, 2, 3))).rejects.toThrow('WebAssembly');
  });
});
