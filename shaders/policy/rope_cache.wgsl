// Rotates queries in place and writes rotated keys, and values, to the cache rows of their sequence
// (rotary positions, Su et al. 2021; rotate-half: dimension i pairs with i + headDim / 2).
// One invocation handles one head of one row: queries first, then keys, then values.

override HEADS: u32 = 4;
override KV_HEADS: u32 = 4;
override HEAD_DIM: u32 = 16;

struct Params {
  rowBase: u32,
  countIndex: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> rows: array<vec4u>;
// [context, headDim / 2] cosine and sine, worked out in float64
@group(0) @binding(3) var<storage, read> rotation: array<vec2f>;
// [rows, (heads + 2 kvHeads) headDim]
@group(0) @binding(4) var<storage, read_write> projected: array<f32>;
// [cache rows, kvHeads headDim]
@group(0) @binding(5) var<storage, read_write> keys: array<f32>;
@group(0) @binding(6) var<storage, read_write> values: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let parts = HEADS + 2u * KV_HEADS;
  let row = id.x / parts;
  let part = id.x % parts;
  if (row >= counts[params.countIndex]) {
    return;
  }
  let description = rows[params.rowBase + row];
  let position = description.z;
  let cacheRow = description.w + position;
  let source = id.x * HEAD_DIM;
  if (part >= HEADS + KV_HEADS) {
    let goal = (cacheRow * KV_HEADS + part - HEADS - KV_HEADS) * HEAD_DIM;
    for (var i = 0u; i < HEAD_DIM; i++) {
      values[goal + i] = projected[source + i];
    }
    return;
  }
  let half = HEAD_DIM / 2u;
  for (var i = 0u; i < half; i++) {
    let turn = rotation[position * half + i];
    let x = projected[source + i];
    let y = projected[source + i + half];
    let rotated = vec2f(x * turn.x - y * turn.y, y * turn.x + x * turn.y);
    if (part < HEADS) {
      projected[source + i] = rotated.x;
      projected[source + i + half] = rotated.y;
    } else {
      let goal = (cacheRow * KV_HEADS + part - HEADS) * HEAD_DIM;
      keys[goal + i] = rotated.x;
      keys[goal + i + half] = rotated.y;
    }
  }
}
