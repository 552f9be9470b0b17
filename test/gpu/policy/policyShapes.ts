import type { PolicyConfiguration } from '../../../src/policy/weights.ts';

const shape = (fields: Partial<PolicyConfiguration>): PolicyConfiguration => ({
  vocab: 19,
  dim: 32,
  layers: 1,
  heads: 2,
  kvHeads: 1,
  ffDim: 24,
  context: 53,
  ropeBase: 10000,
  normEps: 1e-5,
  smear: false,
  valueHead: false,
  ...fields,
});

/** Difficult shapes: heads of 4, 8, 16 and 32, shared keys, vocabularies that no step of a kernel divides. */
export const SHAPES: Readonly<Record<string, PolicyConfiguration>> = {
  'heads of 4, 3 layers, smear, value': shape({
    dim: 16,
    layers: 3,
    heads: 4,
    kvHeads: 2,
    smear: true,
    valueHead: true,
  }),
  'heads of 8, 1 layer, smear': shape({ vocab: 127, heads: 4, kvHeads: 1, ffDim: 40, smear: true }),
  'heads of 16, 3 layers, value': shape({ layers: 3, valueHead: true }),
  'heads of 32, 1 layer': shape({ vocab: 127, dim: 64, kvHeads: 2, ffDim: 8 }),
};

/** The largest head that the kernels support. A software GPU compiles its backward pass in ten seconds. */
export const LARGEST_HEAD: Readonly<Record<string, PolicyConfiguration>> = {
  'one head of 64, rotary base 500': shape({
    vocab: 5,
    dim: 64,
    heads: 1,
    smear: true,
    valueHead: true,
    ropeBase: 500,
  }),
};
