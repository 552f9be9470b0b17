// Part of linear_backward_input.wgsl and its variant with subgroups: their bindings and uniforms.

struct Params {
  countIndex: u32,
  in4: u32,
  outStride4: u32,
  weightOffset4: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> parameters: array<vec4f>;
// [rows, outStride]: columns after the rows of the weights are 0
@group(0) @binding(3) var<storage, read> outputGradient: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> inputGradient: array<vec4f>;
