// Stores the log-probability of each target under the reference policy next to its log-probability at sampling. Also
// writes two estimators of KL(policy || reference) on the sampled token: k1 and k3 (Schulman 2020). One invocation per
// target.
// with shared/k3

struct Params {
  targetBase: u32,
  countIndex: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [targets] row, token, slot, credit
@group(0) @binding(2) var<storage, read> targets: array<vec4u>;
// [targets] log-sum-exp, log-probability, entropy, value
@group(0) @binding(3) var<storage, read> distribution: array<vec4f>;
// [slots] log-probability at sampling, reference log-probability, value at sampling, return
@group(0) @binding(4) var<storage, read_write> recorded: array<vec4f>;
// [targets, 8] see report.wgsl
@group(0) @binding(5) var<storage, read_write> terms: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= counts[params.countIndex]) {
    return;
  }
  let slot = targets[params.targetBase + id.x].z;
  let reference = distribution[id.x].y;
  let gap = reference - recorded[slot].x;
  recorded[slot].y = reference;
  terms[2u * id.x] = vec4f(0.0, distribution[id.x].z, 0.0, 0.0);
  terms[2u * id.x + 1u] = vec4f(-gap, k3(gap), 0.0, 0.0);
}
