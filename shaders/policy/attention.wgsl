// Causal attention of one row over the cache rows of its sequence. One invocation per row and head. The softmax takes
// one pass with a running maximum (Milakov and Gimelshein 2018). Stores log-sum-exp for the backward pass. With
// ofTargets, only rows that predict a target are computed, and their outputs are packed.

override HEADS: u32 = 4;
override KV_HEADS: u32 = 4;
override HEAD_DIM4: u32 = 4;

struct Params {
  rowBase: u32,
  targetBase: u32,
  countIndex: u32,
  ofTargets: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> rows: array<vec4u>;
// [rows, (heads + 2 kvHeads) headDim]; queries come first
@group(0) @binding(3) var<storage, read> projected: array<vec4f>;
@group(0) @binding(4) var<storage, read> keys: array<vec4f>;
@group(0) @binding(5) var<storage, read> values: array<vec4f>;
// [rows or targets, heads headDim]
@group(0) @binding(6) var<storage, read_write> attended: array<vec4f>;
// [rows or targets, heads] log-sum-exp of the scores, and space for the backward pass
@group(0) @binding(7) var<storage, read_write> softmaxState: array<vec2f>;
// [targets] row, ...; read with ofTargets
@group(0) @binding(8) var<storage, read> targets: array<vec4u>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let index = id.x / HEADS;
  let head = id.x % HEADS;
  if (index >= counts[params.countIndex]) {
    return;
  }
  var row = index;
  if (params.ofTargets > 0u) {
    row = targets[params.targetBase + index].x;
  }
  let description = rows[params.rowBase + row];
  let stride = KV_HEADS * HEAD_DIM4;
  let start = description.w * stride + (head * KV_HEADS / HEADS) * HEAD_DIM4;
  let queryStart = (row * (HEADS + 2u * KV_HEADS) + head) * HEAD_DIM4;
  let scale = 1.0 / sqrt(4.0 * f32(HEAD_DIM4));
  var query: array<vec4f, 16>;
  var sum: array<vec4f, 16>;
  for (var i = 0u; i < HEAD_DIM4; i++) {
    query[i] = projected[queryStart + i] * scale;
    sum[i] = vec4f();
  }
  var highest = -3.0e38;
  var total = 0.0;
  for (var j = 0u; j <= description.z; j++) {
    let at = start + j * stride;
    var score = 0.0;
    for (var i = 0u; i < HEAD_DIM4; i++) {
      score += dot(query[i], keys[at + i]);
    }
    let top = max(highest, score);
    let fade = exp(highest - top);
    let weight = exp(score - top);
    total = total * fade + weight;
    for (var i = 0u; i < HEAD_DIM4; i++) {
      sum[i] = sum[i] * fade + weight * values[at + i];
    }
    highest = top;
  }
  for (var i = 0u; i < HEAD_DIM4; i++) {
    attended[id.x * HEAD_DIM4 + i] = sum[i] / total;
  }
  softmaxState[id.x].x = highest + log(total);
}
