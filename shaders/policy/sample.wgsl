// Draws one token for each active sequence, one workgroup a sequence, by inverting the cumulative distribution at a
// counter-based uniform number keyed by (seed, step, rollout, position): the draw does not depend on the batch.
// Keeps the log-probability and the entropy under the policy itself (temperature 1, nothing cut off), which is what
// the training forward computes again. Tokens below `thresholds` (truncate.wgsl) are never drawn.

override LANES: u32 = 32;

struct Params {
  countIndex: u32,
  vocabulary: u32,
  stride: u32,
  context: u32,
  seed: u32,
  step: u32,
  watch: u32,
  truncated: u32,
  stop0: u32,
  stop1: u32,
  stop2: u32,
  stop3: u32,
  inverseTemperature: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> logits: array<f32>;
// [active] sequence, position to write, tokens left in this turn, rollout number
@group(0) @binding(3) var<storage, read_write> slots: array<vec4u>;
// [sequences, context]
@group(0) @binding(4) var<storage, read_write> tokens: array<u32>;
// [sequences, context] log-probability, entropy, probability of the watched token, unused
@group(0) @binding(5) var<storage, read_write> sampled: array<vec4f>;
// [sequences, context] log-probability when sampled, reference's, value, return (see clipped_surrogate.wgsl)
@group(0) @binding(6) var<storage, read_write> recorded: array<vec4f>;
// [active] lowest logit that may be drawn; read when `truncated`
@group(0) @binding(7) var<storage, read> thresholds: array<f32>;

const MAX_LANES = 32u;
var<workgroup> partial: array<vec4f, MAX_LANES>;
var<workgroup> result: vec4f;

fn pcg4d(key: vec4u) -> vec4u {
  var v = key * 1664525u + 1013904223u;
  v.x += v.y * v.w; v.y += v.z * v.x; v.z += v.x * v.y; v.w += v.y * v.z;
  v ^= v >> vec4u(16u);
  v.x += v.y * v.w; v.y += v.z * v.x; v.z += v.x * v.y; v.w += v.y * v.z;
  return v;
}

// Sums over lanes in lane order; every lane gets the result.
fn sum_lanes(lane: u32, value: vec4f) -> vec4f {
  partial[lane] = value;
  workgroupBarrier();
  if (lane == 0u) {
    var sum = vec4f();
    for (var i = 0u; i < LANES; i++) {
      sum += partial[i];
    }
    result = sum;
  }
  return workgroupUniformLoad(&result);
}

fn max_lanes(lane: u32, value: f32) -> f32 {
  partial[lane].x = value;
  workgroupBarrier();
  if (lane == 0u) {
    for (var i = 1u; i < LANES; i++) {
      partial[0].x = max(partial[0].x, partial[i].x);
    }
    result.x = partial[0].x;
  }
  return workgroupUniformLoad(&result).x;
}

// Unnormalised probability of a token as it is drawn: tempered, 0 below the threshold.
fn weight(logit: f32, top: f32, threshold: f32) -> f32 {
  return select(0.0, exp((logit - top) * params.inverseTemperature), logit >= threshold);
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let index = group.x;
  if (index >= counts[params.countIndex]) {
    return;
  }
  let start = index * params.stride;
  let vocabulary = params.vocabulary;
  let threshold = select(-3.0e38, thresholds[index], params.truncated > 0u);
  var highest = -3.0e38;
  for (var v = lane; v < vocabulary; v += LANES) {
    highest = max(highest, logits[start + v]);
  }
  let top = max_lanes(lane, highest);
  // Each lane sums a run of neighbouring tokens, so that the cumulative distribution is in token order.
  let run = (vocabulary + LANES - 1u) / LANES;
  var sums = vec4f();
  for (var v = lane * run; v < min((lane + 1u) * run, vocabulary); v++) {
    let centred = logits[start + v] - top;
    let probability = exp(centred);
    sums += vec4f(probability, probability * centred, weight(logits[start + v], top, threshold), 0.0);
  }
  let totals = sum_lanes(lane, sums);
  if (lane != 0u) {
    return;
  }
  let slot = slots[index];
  let goal = f32(pcg4d(vec4u(params.seed, params.step, slot.w, slot.y)).x >> 8u) / 16777216.0 * totals.z;
  // The last run with any weight in which the sum passes the goal, then the token in it; rounding cannot run past.
  var before = 0.0;
  var chosenRun = 0u;
  for (var i = 0u; i < LANES; i++) {
    let next = before + partial[i].z;
    if (partial[i].z > 0.0) {
      chosenRun = i;
      if (next > goal) {
        break;
      }
    }
    before = next;
  }
  var token = 0u;
  var reached = before;
  for (var v = chosenRun * run; v < min((chosenRun + 1u) * run, vocabulary); v++) {
    let part = weight(logits[start + v], top, threshold);
    if (part > 0.0) {
      token = v;
      reached += part;
      if (reached > goal) {
        break;
      }
    }
  }
  let at = slot.x * params.context + slot.y;
  let logTotal = log(totals.x);
  let logProbability = logits[start + token] - top - logTotal;
  let watched = exp(logits[start + params.watch] - top - logTotal);
  tokens[at] = token;
  recorded[at] = vec4f(logProbability, logProbability, 0.0, 0.0);
  sampled[at] = vec4f(logProbability, logTotal - totals.y / totals.x, watched, 0.0);
  let stopped = token == params.stop0 || token == params.stop1 || token == params.stop2 || token == params.stop3;
  slots[index] = vec4u(slot.x, slot.y + 1u, select(slot.z - 1u, 0u, stopped), slot.w);
}
