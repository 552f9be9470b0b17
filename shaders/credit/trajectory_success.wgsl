// trajectoryReward[i] = decay^(K_i - 1) if the last of trajectory i's K_i turns is solved, else 0.
// One invocation per trajectory.

struct Params {
  count: u32,
  decay: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> turnOffset: array<u32>; // [trajectories + 1]
@group(0) @binding(2) var<storage, read> turn: array<u32>; // turns of each trajectory, first to last
@group(0) @binding(3) var<storage, read> solved: array<u32>; // [turns]
@group(0) @binding(4) var<storage, read_write> trajectoryReward: array<f32>; // [trajectories]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let i = id.x + id.y * grid.x * 64u;
  if (i >= params.count) {
    return;
  }
  let last = turnOffset[i + 1u] - 1u; // a trajectory has at least one turn
  // Products, because pow(0, 0) is not 1 on every device and pow loses digits.
  var reward = f32(solved[turn[last]]);
  for (var k = turnOffset[i]; k < last; k++) {
    reward *= params.decay;
  }
  trajectoryReward[i] = reward;
}
