// activated = silu(gate) * up (Shazeer 2020). One invocation computes four entries of one row.

struct Params {
  countIndex: u32,
  ff4: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [rows, 2 ffDim]: gate, then up
@group(0) @binding(2) var<storage, read> gateUp: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> activated: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x / params.ff4;
  if (row >= counts[params.countIndex]) {
    return;
  }
  let column = id.x % params.ff4;
  let gate = gateUp[2u * row * params.ff4 + column];
  let up = gateUp[(2u * row + 1u) * params.ff4 + column];
  activated[id.x] = gate / (1.0 + exp(-gate)) * up;
}
