// Replaces gate and up by their gradients.

struct Params {
  countIndex: u32,
  ff4: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [rows, ffDim]
@group(0) @binding(2) var<storage, read> activatedGradient: array<vec4f>;
// [rows, 2 ffDim]: gate, then up
@group(0) @binding(3) var<storage, read_write> gateUp: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x / params.ff4;
  if (row >= counts[params.countIndex]) {
    return;
  }
  let column = id.x % params.ff4;
  let gateAt = 2u * row * params.ff4 + column;
  let upAt = gateAt + params.ff4;
  let gate = gateUp[gateAt];
  let up = gateUp[upAt];
  let gradient = activatedGradient[id.x];
  let sigmoid = 1.0 / (1.0 + exp(-gate));
  gateUp[gateAt] = gradient * up * sigmoid * (1.0 + gate * (1.0 - sigmoid));
  gateUp[upAt] = gradient * gate * sigmoid;
}
