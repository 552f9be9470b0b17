// Kernels of the exact engine in AssemblyScript, compiled by src/engine/exact/compile.ts. Addresses and strides are in bytes,
// numbers of rows, columns and heads in elements; widths are multiples of 4. Every sum has a fixed order: four lanes, then lane
// 0 + 1 + 2 + 3; rows in order. No fused multiply-add, no relaxed SIMD, no function of Math.
export { attend, attendBack, rotate, store } from './attention';
export { clear, copy, gather, product, scatter, transpose } from './matrices';
export { adamw, squares } from './optimizer';
export { embed, embedBack, norm, normBack, swiglu, swigluBack } from './rows';
export { distribution, draw, logitsBack, probability, thresholds, values, valuesBack } from './tokens';
