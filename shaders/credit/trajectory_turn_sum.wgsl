// advantage[k] = trajectoryWeight trajectoryAdvantage[i] + turnWeight turnAdvantage[k] for each turn k of trajectory i.
// One invocation per trajectory.

struct Params {
  count: u32,
  trajectoryWeight: f32,
  turnWeight: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> turnOffset: array<u32>; // [trajectories + 1]
@group(0) @binding(2) var<storage, read> turn: array<u32>; // turns of each trajectory, first to last
@group(0) @binding(3) var<storage, read> trajectoryAdvantage: array<f32>; // [trajectories]
@group(0) @binding(4) var<storage, read> turnAdvantage: array<f32>; // [turns]
@group(0) @binding(5) var<storage, read_write> advantage: array<f32>; // [turns]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let i = id.x + id.y * grid.x * 64u;
  if (i >= params.count) {
    return;
  }
  let ofTrajectory = params.trajectoryWeight * trajectoryAdvantage[i];
  for (var k = turnOffset[i]; k < turnOffset[i + 1u]; k++) {
    advantage[turn[k]] = ofTrajectory + params.turnWeight * turnAdvantage[turn[k]];
  }
}
