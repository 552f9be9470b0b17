// advantage[k] = share * finalValue[i] + gamma * (V after turn k) - (V before turn k), for each turn k of trajectory i.
// After the last turn, the value is `finalValue[i]` without discount. One invocation per trajectory.

struct Params {
  count: u32,
  share: f32,
  gamma: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> turnOffset: array<u32>; // [trajectories + 1]
@group(0) @binding(2) var<storage, read> turn: array<u32>; // turns of each trajectory, first to last
@group(0) @binding(3) var<storage, read> finalValue: array<f32>; // [trajectories]
@group(0) @binding(4) var<storage, read> value: array<f32>; // V before each turn [turns]
@group(0) @binding(5) var<storage, read_write> advantage: array<f32>; // [turns]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let i = id.x + id.y * grid.x * 64u;
  if (i >= params.count) {
    return;
  }
  var after = finalValue[i];
  for (var k = turnOffset[i + 1u]; k > turnOffset[i]; k--) {
    let before = value[turn[k - 1u]];
    advantage[turn[k - 1u]] = params.share * finalValue[i] + (after - before);
    after = params.gamma * before;
  }
}
