// Objective of one policy token: asymmetric clip, KL to a frozen reference in k3 form, entropy bonus, clipped value
// loss. Also its derivatives by log-probability, entropy and value. One invocation per target. The ratio is of the
// token, or shared as written by share_ratios.wgsl. The log-probability of a token changes only the term of this token.
// PPO: Schulman et al. 2017; asymmetric clip: Yu et al. 2025 (DAPO); shared ratios: GSPO-token, Zheng et al. 2025;
// k3: Schulman 2020.
// with shared/k3

struct Params {
  targetBase: u32,
  countIndex: u32,
  clipLow: f32,
  clipHigh: f32,
  klCoef: f32,
  entropyCoef: f32,
  valueCoef: f32,
  valueClip: f32,
  sharedRatios: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [targets] row, token, slot, credit
@group(0) @binding(2) var<storage, read> targets: array<vec4u>;
// [targets] weight in the mean of the loss
@group(0) @binding(3) var<storage, read> weights: array<f32>;
// [targets] log-sum-exp, log-probability, entropy, value
@group(0) @binding(4) var<storage, read> distribution: array<vec4f>;
// [slots] log-probability at sampling, reference log-probability, value at sampling, return
@group(0) @binding(5) var<storage, read> recorded: array<vec4f>;
// [turns] or [policy tokens], as indexed by the targets
@group(0) @binding(6) var<storage, read> advantage: array<f32>;
// [targets] d loss / d logp, d entropy, d value, unused; as input: the shared log-ratio of the target in w
@group(0) @binding(7) var<storage, read_write> lossGradient: array<vec4f>;
// [targets, 8] see report.wgsl
@group(0) @binding(8) var<storage, read_write> terms: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let index = id.x;
  if (index >= counts[params.countIndex]) {
    return;
  }
  let target_ = targets[params.targetBase + index];
  let weight = weights[params.targetBase + index];
  let state = distribution[index];
  let old = recorded[target_.z];
  let a = advantage[target_.w];
  let logRatio = state.y - old.x;
  let ratio = exp(select(logRatio, lossGradient[index].w, params.sharedRatios != 0u));
  let below = ratio < 1.0 - params.clipLow && a < 0.0;
  let above = ratio > 1.0 + params.clipHigh && a > 0.0;
  let surrogate = min(ratio * a, clamp(ratio, 1.0 - params.clipLow, 1.0 + params.clipHigh) * a);
  let referenceGap = old.y - state.y;
  // Without the penalty its terms are omitted, because 0 times an overflow is NaN.
  let penalised = params.klCoef > 0.0;
  let kl = select(0.0, params.klCoef * k3(referenceGap), penalised);
  let klSlope = select(0.0, params.klCoef * (1.0 - exp(referenceGap)), penalised);
  let value = state.w;
  let clippedValue = old.z + clamp(value - old.z, -params.valueClip, params.valueClip);
  let error = value - old.w;
  let clippedError = clippedValue - old.w;
  let valueLoss = 0.5 * max(error * error, clippedError * clippedError);
  let inside = abs(value - old.z) <= params.valueClip;
  let valueSlope = select(select(0.0, clippedError, inside), error, error * error >= clippedError * clippedError);
  lossGradient[index] = weight * vec4f(
    klSlope - select(ratio * a, 0.0, below || above),
    -params.entropyCoef,
    params.valueCoef * valueSlope,
    0.0,
  );
  let loss = kl - surrogate - params.entropyCoef * state.z + params.valueCoef * valueLoss;
  terms[2u * index] = vec4f(weight * loss, state.z, -logRatio, k3(logRatio));
  terms[2u * index + 1u] = vec4f(-referenceGap, k3(referenceGap), select(0.0, 1.0, below), select(0.0, 1.0, above));
}
