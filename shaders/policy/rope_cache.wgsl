// Rotates queries in place and writes rotated keys, and values, to the cache rows of their sequence (rotary positions,
// Su et al. 2021; rotate-half: dimension i pairs with i + headDim / 2). One invocation per row and head: queries first,
// then keys, then values.

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
// [context, 2, headDim / 4]: cosines, then signed sines, one per dimension; computed in float64
@group(0) @binding(3) var<storage, read> rotation: array<vec4f>;
// [rows, (heads + 2 kvHeads) headDim]
@group(0) @binding(4) var<storage, read_write> projected: array<vec4f>;
// [cache rows, kvHeads headDim]
@group(0) @binding(5) var<storage, read_write> keys: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> values: array<vec4f>;

// Returns four dimensions of the other half. If headDim is 4, 12, ..., a vector contains parts of both halves.
fn partner(start: u32, i: u32) -> vec4f {
  if (HEAD_DIM4 % 2u == 0u) {
    return projected[start + (i + HEAD_DIM4 / 2u) % HEAD_DIM4];
  }
  let first = projected[start + (i + HEAD_DIM4 / 2u) % HEAD_DIM4];
  let second = projected[start + (i + HEAD_DIM4 / 2u + 1u) % HEAD_DIM4];
  return vec4f(first.zw, second.xy);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let parts = HEADS + 2u * KV_HEADS;
  let row = id.x / parts;
  let part = id.x % parts;
  if (row >= counts[params.countIndex]) {
    return;
  }
  let description = rows[params.rowBase + row];
  let cacheRow = description.w + description.z;
  let source = id.x * HEAD_DIM4;
  if (part >= HEADS + KV_HEADS) {
    let goal = (cacheRow * KV_HEADS + part - HEADS - KV_HEADS) * HEAD_DIM4;
    for (var i = 0u; i < HEAD_DIM4; i++) {
      values[goal + i] = projected[source + i];
    }
    return;
  }
  let turn = description.z * 2u * HEAD_DIM4;
  var rotated: array<vec4f, 16>;
  for (var i = 0u; i < HEAD_DIM4; i++) {
    rotated[i] = projected[source + i] * rotation[turn + i] + partner(source, i) * rotation[turn + HEAD_DIM4 + i];
  }
  let goal = (cacheRow * KV_HEADS + part - HEADS) * HEAD_DIM4;
  for (var i = 0u; i < HEAD_DIM4; i++) {
    if (part < HEADS) {
      projected[source + i] = rotated[i];
    } else {
      keys[goal + i] = rotated[i];
    }
  }
}
