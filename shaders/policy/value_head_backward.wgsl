// Adds the gradient of the value to the gradient of the normed hidden state. One invocation per target and four
// columns.

struct Params {
  countIndex: u32,
  dim4: u32,
  weightOffset4: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> parameters: array<vec4f>;
// [targets] d loss / d logp, d loss / d entropy, d loss / d value, unused
@group(0) @binding(3) var<storage, read> lossGradient: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> normedGradient: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let index = id.x / params.dim4;
  if (index >= counts[params.countIndex]) {
    return;
  }
  normedGradient[id.x] += lossGradient[index].z * parameters[params.weightOffset4 + id.x % params.dim4];
}
