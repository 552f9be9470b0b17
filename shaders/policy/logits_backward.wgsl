// Replaces logits by the gradient of the loss:
// d logp / d z_v = [v = token] - p_v and d H / d z_v = -p_v (log p_v + H).
// Columns after the vocabulary become 0, so that matrix products may run over the padded stride.

struct Params {
  targetBase: u32,
  countIndex: u32,
  vocabulary: u32,
  stride: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> targets: array<vec4u>;
// [targets] log-sum-exp, log-probability, entropy, unused
@group(0) @binding(3) var<storage, read> distribution: array<vec4f>;
// [targets] d loss / d logp, d loss / d entropy, d loss / d value, unused
@group(0) @binding(4) var<storage, read> lossGradient: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> logits: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let index = id.x / params.stride;
  let v = id.x % params.stride;
  if (index >= counts[params.countIndex]) {
    return;
  }
  if (v >= params.vocabulary) {
    logits[id.x] = 0.0;
    return;
  }
  let state = distribution[index];
  let gradient = lossGradient[index];
  let logProbability = logits[id.x] - state.x;
  let probability = exp(logProbability);
  let hit = select(0.0, 1.0, v == targets[params.targetBase + index].y);
  logits[id.x] = gradient.x * (hit - probability) - gradient.y * probability * (logProbability + state.z);
}
