// Loss of the critic at one policy token, 0.5 max((V - R)^2, (Vclip - R)^2) with Vclip = oldV + clip(V - oldV, +-clip)
// (Schulman et al. 2017, as in the authors' code), and its derivative by V. One invocation per target.

struct Params {
  targetBase: u32,
  countIndex: u32,
  valueClip: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [targets] row, token, slot, credit
@group(0) @binding(2) var<storage, read> targets: array<vec4u>;
// [targets] weight in the mean of the loss
@group(0) @binding(3) var<storage, read> weights: array<f32>;
// [targets] unused, unused, unused, value
@group(0) @binding(4) var<storage, read> distribution: array<vec4f>;
@group(0) @binding(5) var<storage, read> tokenValue: array<f32>; // at sampling [policy tokens]
@group(0) @binding(6) var<storage, read> tokenReturn: array<f32>; // [policy tokens]
// [targets] d loss / d logp, d entropy, d value, unused
@group(0) @binding(7) var<storage, read_write> lossGradient: array<vec4f>;
// [targets, 8] see report.wgsl; only the loss is set
@group(0) @binding(8) var<storage, read_write> terms: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= counts[params.countIndex]) {
    return;
  }
  let at = targets[params.targetBase + id.x].w;
  let weight = weights[params.targetBase + id.x];
  let moved = distribution[id.x].w - tokenValue[at];
  let error = distribution[id.x].w - tokenReturn[at];
  let clippedError = tokenValue[at] + clamp(moved, -params.valueClip, params.valueClip) - tokenReturn[at];
  // The clipped square is larger only if V is outside the interval, and then Vclip does not depend on V. Inside the
  // interval both are equal except for rounding, which must not select a branch.
  let plain = abs(moved) <= params.valueClip || error * error >= clippedError * clippedError;
  lossGradient[id.x] = vec4f(0.0, 0.0, select(0.0, weight * error, plain), 0.0);
  terms[2u * id.x] = vec4f(weight * 0.5 * max(error * error, clippedError * clippedError), 0.0, 0.0, 0.0);
  terms[2u * id.x + 1u] = vec4f();
}
