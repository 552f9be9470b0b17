// Lowest logit that top-k and top-p accept. One workgroup per sequence. Top-k is first. Then top-p accepts the smallest
// set of the most probable remaining tokens with a share `topP` of their probability (Holtzman et al. 2020). Both use
// bisection on the logit. Tokens with a logit equal to the threshold are included.
// with shared/lane_order

override LANES: u32 = 32;

struct Params {
  countIndex: u32,
  vocabulary: u32,
  stride: u32,
  topK: u32,
  inverseTemperature: f32,
  topP: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> logits: array<f32>;
@group(0) @binding(3) var<storage, read_write> thresholds: array<f32>;

// Returns the number and the tempered probability mass of the tokens whose logit is at least `threshold`.
fn massAbove(lane: u32, start: u32, threshold: f32, top: f32) -> vec2f {
  var sum = vec2f();
  for (var v = lane; v < params.vocabulary; v += LANES) {
    let logit = logits[start + v];
    if (logit >= threshold) {
      sum += vec2f(1.0, exp((logit - top) * params.inverseTemperature));
    }
  }
  return sumForAll(lane, LANES, vec4f(sum, 0.0, 0.0)).xy;
}

// Returns the highest threshold between `bottom` and `top` that includes at least `goal` (count, mass).
fn findThreshold(lane: u32, start: u32, bottom: f32, top: f32, goal: vec2f) -> f32 {
  if (all(massAbove(lane, start, top, top) >= goal)) {
    return top;
  }
  var low = bottom;
  var high = top;
  for (var i = 0u; i < 40u; i++) {
    let middle = 0.5 * (low + high);
    if (all(massAbove(lane, start, middle, top) >= goal)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let index = group.x;
  if (index >= counts[params.countIndex]) {
    return;
  }
  let start = index * params.stride;
  var highest = -3.0e38;
  var lowest = 3.0e38;
  for (var v = lane; v < params.vocabulary; v += LANES) {
    highest = max(highest, logits[start + v]);
    lowest = min(lowest, logits[start + v]);
  }
  let extremes = largestForAll(lane, LANES, vec4f(highest, -lowest, 0.0, 0.0));
  let top = extremes.x;
  var threshold = -extremes.y;
  if (params.topK > 0u && params.topK < params.vocabulary) {
    threshold = findThreshold(lane, start, threshold, top, vec2f(f32(params.topK), 0.0));
  }
  if (params.topP < 1.0) {
    let mass = massAbove(lane, start, threshold, top).y;
    threshold = findThreshold(lane, start, threshold, top, vec2f(1.0, params.topP * mass));
  }
  if (lane == 0u) {
    thresholds[index] = threshold;
  }
}
