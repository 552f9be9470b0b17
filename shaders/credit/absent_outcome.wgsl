// MT-GRPO with credit for absent turns. Adds to A^O the advantages of the turns after the end of a rollout:
// sum over l from K_i to K - 1 of alpha^(l-K_i) A^I_l, with K the turns of the longest rollout of the group.
// turn_combine carries both to earlier turns. One invocation per trajectory, from the last absent turn backwards.

struct Params {
  count: u32,
  alpha: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> turnOffset: array<u32>; // [trajectories + 1]
@group(0) @binding(2) var<storage, read> trajectoryLevels: array<vec2u>; // [trajectories] levels of its group
@group(0) @binding(3) var<storage, read> absentAdvantage: array<f32>; // A^I of absent turns [levels]
@group(0) @binding(4) var<storage, read_write> outcomeAdvantage: array<f32>; // A^O [trajectories]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let i = id.x + id.y * grid.x * 64u;
  if (i >= params.count) {
    return;
  }
  let levels = trajectoryLevels[i];
  let firstAbsent = levels.x + (turnOffset[i + 1u] - 1u - turnOffset[i]); // first level without a turn
  var absent = 0.0;
  for (var level = levels.y; level > firstAbsent; level--) {
    absent = absentAdvantage[level - 1u] + params.alpha * absent;
  }
  outcomeAdvantage[i] = absent + outcomeAdvantage[i];
}
