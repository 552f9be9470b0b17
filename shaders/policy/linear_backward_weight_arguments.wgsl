// Part of linear_backward_weight.wgsl and its variant with subgroups: their common arguments. Inputs and results are vectors
// of different lengths.

struct Params {
  countIndex: u32,
  chunks: u32,
  in4: u32,
  outStride4: u32,
  outRows: u32,
  weightOffset4: u32,
  partialStride4: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> outputGradient: array<vec4f>;
