// Gradients by the rotated keys and the values. One invocation per row and key-value head. It sums over the later rows
// of the same sequence, which are consecutive, and over the heads that share this key.

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
@group(0) @binding(7) var<storage, read> softmaxState: array<vec2f>;
@group(0) @binding(8) var<storage, read_write> projectedGradient: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x / KV_HEADS;
  let kvHead = id.x % KV_HEADS;
  let count = counts[params.countIndex];
  if (row >= count) {
    return;
  }
  let parts = HEADS + 2u * KV_HEADS;
  let shared_ = HEADS / KV_HEADS;
  let description = rows[params.rowBase + row];
  let at = ((description.w + description.z) * KV_HEADS + kvHead) * HEAD_DIM4;
  let scale = 1.0 / sqrt(4.0 * f32(HEAD_DIM4));
  var key: array<vec4f, 16>;
  var value: array<vec4f, 16>;
  var keyGradient: array<vec4f, 16>;
  var valueGradient: array<vec4f, 16>;
  for (var i = 0u; i < HEAD_DIM4; i++) {
    key[i] = keys[at + i] * scale;
    value[i] = values[at + i];
  }
  for (var queryRow = row; queryRow < count; queryRow++) {
    if (rows[params.rowBase + queryRow].w != description.w) {
      break;
    }
    for (var head = kvHead * shared_; head < (kvHead + 1u) * shared_; head++) {
      let queryAt = (queryRow * parts + head) * HEAD_DIM4;
      let gradientAt = (queryRow * HEADS + head) * HEAD_DIM4;
      let state = softmaxState[queryRow * HEADS + head];
      var score = 0.0;
      var slope = 0.0;
      for (var i = 0u; i < HEAD_DIM4; i++) {
        score += dot(projected[queryAt + i], key[i]);
        slope += dot(attendedGradient[gradientAt + i], value[i]);
      }
      let probability = exp(score - state.x);
      let pull = probability * (slope - state.y) * scale;
      for (var i = 0u; i < HEAD_DIM4; i++) {
        keyGradient[i] += pull * projected[queryAt + i];
        valueGradient[i] += probability * attendedGradient[gradientAt + i];
      }
    }
  }
  let goal = (row * parts + HEADS + kvHead) * HEAD_DIM4;
  for (var i = 0u; i < HEAD_DIM4; i++) {
    projectedGradient[goal + i] = keyGradient[i];
    projectedGradient[goal + KV_HEADS * HEAD_DIM4 + i] = valueGradient[i];
  }
}
