// advantage[k] = advantage of the first turn of trajectory i, for each turn k of it. One invocation per trajectory.

struct Params {
  count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> turnOffset: array<u32>; // [trajectories + 1]
@group(0) @binding(2) var<storage, read> turn: array<u32>; // turns of each trajectory, first to last
@group(0) @binding(3) var<storage, read_write> advantage: array<f32>; // [turns]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let i = id.x + id.y * grid.x * 64u;
  if (i >= params.count) {
    return;
  }
  let first = advantage[turn[turnOffset[i]]];
  for (var k = turnOffset[i] + 1u; k < turnOffset[i + 1u]; k++) {
    advantage[turn[k]] = first;
  }
}
