// Bradley-Terry loss of a pair, -log sigmoid(better - worse), and its derivatives by the two values (Bradley and Terry
// 1952; AceCoder, Zeng et al. 2025, arXiv 2502.01718). Targets are pairs: the better program at 2 i, the worse at 2 i +
// 1. One invocation per target.

struct Params {
  targetBase: u32,
  countIndex: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [targets] weight of the pair in the mean of the loss, equal at both targets
@group(0) @binding(2) var<storage, read> weights: array<f32>;
// [targets] unused, unused, unused, value
@group(0) @binding(3) var<storage, read> distribution: array<vec4f>;
// [targets] d loss / d logp, d entropy, d value, unused
@group(0) @binding(4) var<storage, read_write> lossGradient: array<vec4f>;
// [targets, 8] see report.wgsl: the loss, and in place of the entropy the weight of the pairs in the correct order
@group(0) @binding(5) var<storage, read_write> terms: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= counts[params.countIndex]) {
    return;
  }
  let better = id.x % 2u == 0u;
  let weight = weights[params.targetBase + id.x];
  let margin = distribution[id.x & ~1u].w - distribution[id.x | 1u].w;
  // Both forms avoid an overflow of the exponential for any margin.
  let small = exp(-abs(margin));
  let wrong = select(1.0, small, margin > 0.0) / (1.0 + small);
  lossGradient[id.x] = vec4f(0.0, 0.0, select(weight * wrong, -weight * wrong, better), 0.0);
  let loss = max(-margin, 0.0) + log(1.0 + small);
  terms[2u * id.x] = select(vec4f(), vec4f(weight * loss, select(0.0, weight, margin > 0.0), 0.0, 0.0), better);
  terms[2u * id.x + 1u] = vec4f();
}
