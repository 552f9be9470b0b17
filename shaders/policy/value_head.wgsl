// Writes the value of a target, valueHead . normed hidden state, next to its log-probability. One invocation per
// target.

struct Params {
  countIndex: u32,
  dim4: u32,
  weightOffset4: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> parameters: array<vec4f>;
@group(0) @binding(3) var<storage, read> normed: array<vec4f>;
// [targets] log-sum-exp, log-probability, entropy, value
@group(0) @binding(4) var<storage, read_write> distribution: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= counts[params.countIndex]) {
    return;
  }
  var sum = 0.0;
  for (var i = 0u; i < params.dim4; i++) {
    sum += dot(normed[id.x * params.dim4 + i], parameters[params.weightOffset4 + i]);
  }
  distribution[id.x].w = sum;
}
