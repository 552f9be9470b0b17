// Part of linear.wgsl and its variant with subgroups: their bindings and uniforms.

override ADD_RESIDUAL: bool = false;
override NORM: bool = false;
override GATE: bool = false;

struct Params {
  countIndex: u32,
  in4: u32,
  outStride4: u32,
  weightOffset4: u32,
  // Number of rows of the weights per workgroup, and number of vectors from the first half of the rows to the second
  // half
  groupRows: u32,
  highOffset4: u32,
  // With NORM: the weight of the norm
  normOffset4: u32,
  epsilon: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> parameters: array<vec4f>;
@group(0) @binding(3) var<storage, read> input: array<vec4f>;
@group(0) @binding(4) var<storage, read> residual: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> output: array<vec4f>;
