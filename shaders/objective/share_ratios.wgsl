// Log-ratio that the tokens of a turn or of a sequence share: the mean of their log-ratios, so that the ratio is a
// geometric mean (GSPO, Zheng et al. 2025, arXiv 2507.18071). clipped_surrogate.wgsl reads the array. One invocation
// per target. Each sums from the first target of the shared ratio, so all these targets have the same bits.

struct Params {
  targetBase: u32,
  countIndex: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [targets] row, token, slot, credit
@group(0) @binding(2) var<storage, read> targets: array<vec4u>;
// [targets] first target of the minibatch with the same shared ratio
@group(0) @binding(3) var<storage, read> sharers: array<u32>;
// [targets] log-sum-exp, log-probability, entropy, value
@group(0) @binding(4) var<storage, read> distribution: array<vec4f>;
// [slots] log-probability at sampling, reference log-probability, value at sampling, return
@group(0) @binding(5) var<storage, read> recorded: array<vec4f>;
// [targets] unused, unused, unused, log-ratio
@group(0) @binding(6) var<storage, read_write> lossGradient: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let count = counts[params.countIndex];
  if (id.x >= count) {
    return;
  }
  let first = sharers[params.targetBase + id.x];
  var sum = 0.0;
  var i = first;
  for (; i < count && sharers[params.targetBase + i] == first; i++) {
    sum += distribution[i].y - recorded[targets[params.targetBase + i].z].x;
  }
  lossGradient[id.x].w = sum / f32(i - first);
}
