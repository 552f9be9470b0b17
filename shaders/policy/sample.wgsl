// Sampling kernel of the policy. Draws one token for each active sequence: inverts the cumulative distribution at a
// counter-based uniform number.
// The number is keyed by (seed, step, rollout, position), so the draw does not depend on the batch. The vocabulary is
// divided into runs of consecutive tokens, one per lane, and the sums of the runs are added in order. Stores the
// log-probability and the entropy under the policy (temperature 1, without truncation), which the forward pass of
// training recomputes. Tokens below `thresholds` (truncate.wgsl) are never drawn.
// with shared/lane_order

// Number of lanes of a sequence, and of runs of the vocabulary.
const LANES = 32u;

struct Params {
  countIndex: u32,
  vocabulary: u32,
  stride: u32,
  context: u32,
  seed: u32,
  step: u32,
  watch: u32,
  // Start of the slots of this draw and of the next draw in `rows`
  slots: u32,
  nextSlots: u32,
  truncated: u32,
  // 1: the drawn tokens determine the lengths of their turns
  first: u32,
  stop0: u32,
  stop1: u32,
  stop2: u32,
  stop3: u32,
  inverseTemperature: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> logits: array<f32>;
// Rows of sequences that continue, then slots [active]: sequence, position to write, remaining tokens of this turn,
// rollout
@group(0) @binding(3) var<storage, read_write> rows: array<vec4u>;
// [sequences, context]
@group(0) @binding(4) var<storage, read_write> tokens: array<u32>;
// [sequences, context] log-probability, entropy, probability of the watched token, unused
@group(0) @binding(5) var<storage, read_write> sampled: array<vec4f>;
// [sequences, context] log-probability at sampling, under the reference, value, return (see clipped_surrogate.wgsl)
@group(0) @binding(6) var<storage, read_write> recorded: array<vec4f>;
// [active] lowest logit that may be drawn; read if `truncated`
@group(0) @binding(7) var<storage, read> thresholds: array<f32>;
// [vocabulary] number of tokens of a turn by its first token; read if `first`
@group(0) @binding(8) var<storage, read> turnLengths: array<u32>;

fn pcg4d(key: vec4u) -> vec4u {
  var v = key * 1664525u + 1013904223u;
  v.x += v.y * v.w; v.y += v.z * v.x; v.z += v.x * v.y; v.w += v.y * v.z;
  v ^= v >> vec4u(16u);
  v.x += v.y * v.w; v.y += v.z * v.x; v.z += v.x * v.y; v.w += v.y * v.z;
  return v;
}

// Returns the unnormalised probability with which a token is drawn: tempered, and 0 below the threshold.
fn weight(logit: f32, top: f32, threshold: f32) -> f32 {
  return select(0.0, exp((logit - top) * params.inverseTemperature), logit >= threshold);
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let index = group.x;
  let running = index < atomicLoad(&counts[params.countIndex]);
  let start = index * params.stride;
  // The count is not a uniform value, so no lane may return before the barriers.
  let vocabulary = select(0u, params.vocabulary, running);
  let threshold = select(-3.0e38, thresholds[index], params.truncated > 0u);
  var top = -3.0e38;
  for (var v = lane; v < vocabulary; v += LANES) {
    top = max(top, logits[start + v]);
  }
  top = largestForAll(lane, LANES, vec4f(top)).x;
  let length = (params.vocabulary + LANES - 1u) / LANES;
  // Probability, probability times logit, and weight of the run; all unnormalised
  var sum = vec4f();
  for (var v = lane * length; v < min((lane + 1u) * length, vocabulary); v++) {
    let centred = logits[start + v] - top;
    let probability = exp(centred);
    sum += vec4f(probability, probability * centred, weight(logits[start + v], top, threshold), 0.0);
  }
  let totals = sumForFirst(lane, LANES, sum);
  if (lane != 0u || !running) {
    return;
  }
  let slot = rows[params.slots + index];
  let goal = f32(pcg4d(vec4u(params.seed, params.step, slot.w, slot.y)).x >> 8u) / 16777216.0 * totals.z;
  // Finds the run in which the sum exceeds the goal, then the token in this run. Only runs and tokens with weight are
  // selected, also if rounding keeps the sum below the goal.
  var before = 0.0;
  var chosen = 0u;
  for (var run = 0u; run < LANES; run++) {
    let part = partials[run].z;
    let next = before + part;
    if (part > 0.0) {
      chosen = run;
      if (next > goal) {
        break;
      }
    }
    before = next;
  }
  var token = 0u;
  var reached = before;
  for (var v = chosen * length; v < min((chosen + 1u) * length, vocabulary); v++) {
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
  let remaining = select(slot.z, clamp(turnLengths[token], 1u, slot.z), params.first > 0u);
  if (remaining > 1u && !stopped) {
    let next = atomicAdd(&counts[params.countIndex + 1u], 1u);
    rows[params.nextSlots + next] = vec4u(slot.x, slot.y + 1u, remaining - 1u, slot.w);
    rows[next] = vec4u(token, tokens[at - 1u], slot.y, slot.x * params.context);
  }
}
