// Weighted cross-entropy of one target for supervised warm starts. The outputs match clipped_surrogate.wgsl.

struct Params {
  targetBase: u32,
  countIndex: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [targets] weight in the mean of the loss
@group(0) @binding(2) var<storage, read> weights: array<f32>;
// [targets] log-sum-exp, log-probability, entropy, value
@group(0) @binding(3) var<storage, read> distribution: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> lossGradient: array<vec4f>;
// [targets, 8] see report.wgsl
@group(0) @binding(5) var<storage, read_write> terms: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let index = id.x;
  if (index >= counts[params.countIndex]) {
    return;
  }
  let weight = weights[params.targetBase + index];
  let state = distribution[index];
  lossGradient[index] = vec4f(-weight, 0.0, 0.0, 0.0);
  terms[2u * index] = vec4f(-weight * state.y, state.z, 0.0, 0.0);
  terms[2u * index + 1u] = vec4f();
}
