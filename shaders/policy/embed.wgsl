// hidden[row] = embed[token] + smear * embed[previous token]; the first position has no previous token.
// One invocation writes four dimensions of one row.

override SMEAR: bool = true;

struct Params {
  rowBase: u32,
  countIndex: u32,
  dim4: u32,
  embedOffset4: u32,
  smearOffset4: u32,
}

const NONE = 0xffffffffu;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [rows] token, previous token (NONE at position 0), position, first cache row of the sequence
@group(0) @binding(2) var<storage, read> rows: array<vec4u>;
@group(0) @binding(3) var<storage, read> parameters: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> hidden: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x / params.dim4;
  let column = id.x % params.dim4;
  if (row >= counts[params.countIndex]) {
    return;
  }
  let description = rows[params.rowBase + row];
  var value = parameters[params.embedOffset4 + description.x * params.dim4 + column];
  if (SMEAR && description.y != NONE) {
    let previous = parameters[params.embedOffset4 + description.y * params.dim4 + column];
    value += parameters[params.smearOffset4 + column] * previous;
  }
  hidden[id.x] = value;
}
