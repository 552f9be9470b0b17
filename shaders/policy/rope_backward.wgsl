// Reverses the rotation in the gradients of queries and keys, in place. One invocation per row and head.

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
// [context, 2, headDim / 4]: cosines, then signed sines, one per dimension
@group(0) @binding(3) var<storage, read> rotation: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> projectedGradient: array<vec4f>;

// Returns four dimensions of the other half. If headDim is 4, 12, ..., a vector contains parts of both halves.
fn partner(start: u32, i: u32) -> vec4f {
  if (HEAD_DIM4 % 2u == 0u) {
    return projectedGradient[start + (i + HEAD_DIM4 / 2u) % HEAD_DIM4];
  }
  let first = projectedGradient[start + (i + HEAD_DIM4 / 2u) % HEAD_DIM4];
  let second = projectedGradient[start + (i + HEAD_DIM4 / 2u + 1u) % HEAD_DIM4];
  return vec4f(first.zw, second.xy);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let rotated = HEADS + KV_HEADS;
  let row = id.x / rotated;
  if (row >= counts[params.countIndex]) {
    return;
  }
  let turn = rows[params.rowBase + row].z * 2u * HEAD_DIM4;
  let start = (row * (HEADS + 2u * KV_HEADS) + id.x % rotated) * HEAD_DIM4;
  // The transposed rotation has the opposite direction: the sine of the partner changes its sign.
  var back: array<vec4f, 16>;
  for (var i = 0u; i < HEAD_DIM4; i++) {
    back[i] = projectedGradient[start + i] * rotation[turn + i] - partner(start, i) * rotation[turn + HEAD_DIM4 + i];
  }
  for (var i = 0u; i < HEAD_DIM4; i++) {
    projectedGradient[start + i] = back[i];
  }
}
