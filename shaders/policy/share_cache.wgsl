// Copies keys and values of a prefix from the sequence that computed them to sequences with the same prefix.
// One invocation copies four columns of one position.

struct Params {
  count: u32,
  width4: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// [count] cache row to read, cache row to write; no row is both
@group(0) @binding(1) var<storage, read> copies: array<vec2u>;
// [cache rows, kvHeads headDim]
@group(0) @binding(2) var<storage, read_write> keys: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> values: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let index = id.x / params.width4;
  if (index >= params.count) {
    return;
  }
  let column = id.x % params.width4;
  let from_ = copies[index].x * params.width4 + column;
  let to = copies[index].y * params.width4 + column;
  keys[to] = keys[from_];
  values[to] = values[from_];
}
