// Gradient by the rotated queries. One invocation per row and head. Probabilities are recomputed from the stored
// log-sum-exp. D = sum_j p_j dP_j (= dO . O) is stored for the gradient of the keys.

override HEADS: u32 = 4;
override KV_HEADS: u32 = 4;
override HEAD_DIM4: u32 = 4;

struct Params {
  rowBase: u32,
  countIndex: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> rows: array<vec4u>;
@group(0) @binding(3) var<storage, read> projected: array<vec4f>;
@group(0) @binding(4) var<storage, read> keys: array<vec4f>;
@group(0) @binding(5) var<storage, read> values: array<vec4f>;
@group(0) @binding(6) var<storage, read> attendedGradient: array<vec4f>;
// [rows, heads] log-sum-exp, D
@group(0) @binding(7) var<storage, read_write> softmaxState: array<vec2f>;
@group(0) @binding(8) var<storage, read_write> projectedGradient: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x / HEADS;
  let head = id.x % HEADS;
  if (row >= counts[params.countIndex]) {
    return;
  }
  let description = rows[params.rowBase + row];
  let stride = KV_HEADS * HEAD_DIM4;
  let start = description.w * stride + (head * KV_HEADS / HEADS) * HEAD_DIM4;
  let queryStart = (row * (HEADS + 2u * KV_HEADS) + head) * HEAD_DIM4;
  let scale = 1.0 / sqrt(4.0 * f32(HEAD_DIM4));
  let logSumExp = softmaxState[id.x].x;
  var query: array<vec4f, 16>;
  var gradient: array<vec4f, 16>;
  var weighted: array<vec4f, 16>; // sum of p dP k
  var expected: array<vec4f, 16>; // sum of p k
  for (var i = 0u; i < HEAD_DIM4; i++) {
    query[i] = projected[queryStart + i] * scale;
    gradient[i] = attendedGradient[id.x * HEAD_DIM4 + i];
  }
  var sum = 0.0;
  for (var j = 0u; j <= description.z; j++) {
    let at = start + j * stride;
    var score = 0.0;
    var slope = 0.0;
    for (var i = 0u; i < HEAD_DIM4; i++) {
      score += dot(query[i], keys[at + i]);
      slope += dot(gradient[i], values[at + i]);
    }
    let probability = exp(score - logSumExp);
    sum += probability * slope;
    for (var i = 0u; i < HEAD_DIM4; i++) {
      let key = keys[at + i] * probability;
      expected[i] += key;
      weighted[i] += key * slope;
    }
  }
  for (var i = 0u; i < HEAD_DIM4; i++) {
    projectedGradient[queryStart + i] = (weighted[i] - sum * expected[i]) * scale;
  }
  softmaxState[id.x].y = sum;
}
