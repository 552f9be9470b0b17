// Adds the gradient through RMSNorm to the residual stream's gradient. One invocation per row.
// dx = s (g - x s^2 mean(g x)) with g = w dy and s = 1 / rms(x). Stores s for the gradient of the weight.

struct Params {
  countIndex: u32,
  dim4: u32,
  weightOffset4: u32,
  epsilon: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> parameters: array<vec4f>;
@group(0) @binding(3) var<storage, read> input: array<vec4f>;
@group(0) @binding(4) var<storage, read> normedGradient: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> hiddenGradient: array<vec4f>;
// [rows] 1 / rms
@group(0) @binding(6) var<storage, read_write> scales: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= counts[params.countIndex]) {
    return;
  }
  let start = id.x * params.dim4;
  var square = 0.0;
  var product = 0.0;
  for (var i = 0u; i < params.dim4; i++) {
    let x = input[start + i];
    square += dot(x, x);
    product += dot(normedGradient[start + i] * parameters[params.weightOffset4 + i], x);
  }
  let dim = f32(4u * params.dim4);
  let scale = 1.0 / sqrt(square / dim + params.epsilon);
  let pull = product / dim * scale * scale;
  for (var i = 0u; i < params.dim4; i++) {
    let gradient = normedGradient[start + i] * parameters[params.weightOffset4 + i];
    hiddenGradient[start + i] += scale * (gradient - input[start + i] * pull);
  }
  scales[id.x] = scale;
}
