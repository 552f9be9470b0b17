import { NoSimdError } from '../shared.ts';

/** Exports of kernels/exact.ts, which describes the parameters. Addresses, strides and `bytes` are in bytes. */
export interface Kernels {
  readonly memory: WebAssembly.Memory;
  product(
    A: number,
    rowStride: number,
    columnStride: number,
    B: number,
    strideB: number,
    C: number,
    strideC: number,
    M: number,
    N: number,
    K: number,
    add: number,
  ): void;
  transpose(from: number, rows: number, columns: number, to: number, stride: number): void;
  copy(to: number, from: number, bytes: number): void;
  clear(at: number, bytes: number): void;
  gather(to: number, from: number, targets: number, n: number, bytes: number): void;
  scatter(to: number, from: number, targets: number, n: number, bytes: number): void;
  embed(rows: number, embedding: number, smear: number, to: number, n: number, dim: number): void;
  embedBack(
    rows: number,
    embedding: number,
    smear: number,
    gradient: number,
    dEmbedding: number,
    dSmear: number,
    n: number,
    dim: number,
  ): void;
  norm(x: number, weight: number, to: number, n: number, dim: number, epsilon: number): void;
  normBack(
    x: number,
    weight: number,
    gradient: number,
    dx: number,
    dWeight: number,
    n: number,
    dim: number,
    epsilon: number,
  ): void;
  swiglu(gateUp: number, to: number, n: number, width: number): void;
  swigluBack(gateUp: number, gradient: number, n: number, width: number): void;
  rotate(
    x: number,
    rows: number,
    table: number,
    n: number,
    heads: number,
    width: number,
    stride: number,
    sign: 1 | -1,
  ): void;
  store(x: number, rows: number, cache: number, n: number, stride: number, bytes: number): void;
  attend(
    rows: number,
    targets: number,
    queries: number,
    stride: number,
    keys: number,
    values: number,
    keyStride: number,
    out: number,
    state: number,
    n: number,
    heads: number,
    keyHeads: number,
    width: number,
    scratch: number,
  ): void;
  attendBack(
    rows: number,
    targets: number,
    projected: number,
    stride: number,
    out: number,
    state: number,
    gradient: number,
    dProjected: number,
    n: number,
    heads: number,
    keyHeads: number,
    width: number,
    scratch: number,
    scratchBytes: number,
  ): void;
  distribution(
    logits: number,
    stride: number,
    vocabulary: number,
    sources: number,
    targets: number,
    to: number,
    n: number,
  ): void;
  probability(logits: number, stride: number, sources: number, token: number, outputs: number, n: number): void;
  logitsBack(
    logits: number,
    stride: number,
    vocabulary: number,
    targets: number,
    outputs: number,
    slopes: number,
    n: number,
  ): void;
  values(x: number, weight: number, outputs: number, n: number, dim: number): void;
  valuesBack(x: number, weight: number, slopes: number, dx: number, dWeight: number, n: number, dim: number): void;
  thresholds(
    logits: number,
    stride: number,
    vocabulary: number,
    sources: number,
    inverse: number,
    topK: number,
    topP: number,
    to: number,
    n: number,
  ): void;
  draw(
    logits: number,
    stride: number,
    vocabulary: number,
    sources: number,
    uniforms: number,
    inverse: number,
    least: number,
    targets: number,
    scratch: number,
    n: number,
  ): void;
  squares(x: number, n: number): number;
  adamw(
    parameters: number,
    gradient: number,
    first: number,
    second: number,
    n: number,
    clip: number,
    rate: number,
    beta1: number,
    beta2: number,
    epsilon: number,
    decay: number,
    correction1: number,
    correction2: number,
  ): void;
}

/** Module that is valid only with SIMD: (func (drop (i8x16.splat (i32.const 0)))). */
const SIMD = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0],
  ...[10, 9, 1, 7, 0, 65, 0, 253, 15, 26, 11],
);

/** Checks the browser for SIMD. @throws {NoSimdError} if the browser has no SIMD in WebAssembly */
export function requireSimd(): void {
  if (!WebAssembly.validate(SIMD)) throw new NoSimdError();
}

/** Instantiates the compiled kernels, each time with a separate memory. */
export async function instantiate(module: WebAssembly.Module): Promise<Kernels> {
  return (await WebAssembly.instantiate(module)).exports as unknown as Kernels;
}
