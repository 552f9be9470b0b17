// Rotates the gradients of queries and keys back, in place; one head of one row an invocation.

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
@group(0) @binding(3) var<storage, read> rotation: array<vec2f>;
@group(0) @binding(4) var<storage, read_write> projectedGradient: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let rotated = HEADS + KV_HEADS;
  let row = id.x / rotated;
  if (row >= counts[params.countIndex]) {
    return;
  }
  let position = rows[params.rowBase + row].z;
  let start = (row * (HEADS + 2u * KV_HEADS) + id.x % rotated) * HEAD_DIM;
  let half = HEAD_DIM / 2u;
  for (var i = 0u; i < half; i++) {
    let turn = rotation[position * half + i];
    let x = projectedGradient[start + i];
    let y = projectedGradient[start + i + half];
    projectedGradient[start + i] = x * turn.x + y * turn.y;
    projectedGradient[start + i + half] = y * turn.x - x * turn.y;
  }
}
