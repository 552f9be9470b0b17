// Part of linear_backward_weight.wgsl and its variant with subgroups: their shared bindings and uniforms. The variants
// read inputs and write results as vectors of different lengths.

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
