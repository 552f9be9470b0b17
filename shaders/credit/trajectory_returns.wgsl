// mergedReturn[i] = sum of the rewards of trajectory i's intermediate turns + its outcome.
// The reward of the last turn is the outcome. One invocation per trajectory.

struct Params {
  count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> turnOffset: array<u32>; // [trajectories + 1]
@group(0) @binding(2) var<storage, read> turn: array<u32>; // turns of each trajectory, first to last
@group(0) @binding(3) var<storage, read> reward: array<f32>; // [turns]
@group(0) @binding(4) var<storage, read> outcome: array<f32>; // [trajectories]
@group(0) @binding(5) var<storage, read_write> mergedReturn: array<f32>; // [trajectories]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let i = id.x + id.y * grid.x * 64u;
  if (i >= params.count) {
    return;
  }
  var sum = 0.0;
  for (var k = turnOffset[i]; k + 1u < turnOffset[i + 1u]; k++) {
    sum += reward[turn[k]];
  }
  mergedReturn[i] = sum + outcome[i];
}
