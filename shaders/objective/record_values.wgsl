// Copies the critic's value of each target to the array that credit rules read. One invocation per target.

struct Params {
  targetBase: u32,
  countIndex: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [targets] row, token, slot, credit
@group(0) @binding(2) var<storage, read> targets: array<vec4u>;
// [targets] unused, unused, unused, value
@group(0) @binding(3) var<storage, read> distribution: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> tokenValue: array<f32>; // [policy tokens]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < counts[params.countIndex]) {
    tokenValue[targets[params.targetBase + id.x].w] = distribution[id.x].w;
  }
}
