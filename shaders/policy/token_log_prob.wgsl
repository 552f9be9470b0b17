// Log-sum-exp, log-probability of the token and entropy of the distribution. One workgroup per target.
// with shared/lane_order

override LANES: u32 = 32;

struct Params {
  targetBase: u32,
  countIndex: u32,
  vocabulary: u32,
  stride: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [targets] row, token, slot, credit
@group(0) @binding(2) var<storage, read> targets: array<vec4u>;
@group(0) @binding(3) var<storage, read> logits: array<f32>;
// [targets] log-sum-exp, log-probability, entropy, value (value_head.wgsl; 0 without a value head)
@group(0) @binding(4) var<storage, read_write> distribution: array<vec4f>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let index = group.x;
  if (index >= counts[params.countIndex]) {
    return;
  }
  let start = index * params.stride;
  var top = -3.0e38;
  for (var v = lane; v < params.vocabulary; v += LANES) {
    top = max(top, logits[start + v]);
  }
  top = largestForAll(lane, LANES, vec4f(top)).x;
  var sums = vec2f();
  for (var v = lane; v < params.vocabulary; v += LANES) {
    let centred = logits[start + v] - top;
    let weight = exp(centred);
    sums += vec2f(weight, weight * centred);
  }
  sums = sumForFirst(lane, LANES, vec4f(sums, 0.0, 0.0)).xy;
  if (lane == 0u) {
    let logTotal = log(sums.x);
    let token = targets[params.targetBase + index].y;
    let logProbability = logits[start + token] - top - logTotal;
    distribution[index] = vec4f(top + logTotal, logProbability, logTotal - sums.y / sums.x, 0.0);
  }
}
