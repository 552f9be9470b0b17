// stepReturn[t] = r_t + gamma stepReturn[t + 1] along each trajectory; episodeReturn[i] = sum of its r_t.
// r_t = reward, + bonus if the turn validates, + finalReward on the last turn.
// One invocation per trajectory, backwards.

struct Params {
  count: u32,
  gamma: f32,
  bonus: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> turnOffset: array<u32>; // [trajectories + 1]
@group(0) @binding(2) var<storage, read> turn: array<u32>; // turns of each trajectory, first to last
@group(0) @binding(3) var<storage, read> reward: array<f32>; // [turns]
@group(0) @binding(4) var<storage, read> validates: array<f32>; // [turns] 0 or 1
@group(0) @binding(5) var<storage, read> finalReward: array<f32>; // [trajectories]
@group(0) @binding(6) var<storage, read_write> stepReturn: array<f32>; // [turns]
@group(0) @binding(7) var<storage, read_write> episodeReturn: array<f32>; // [trajectories]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let i = id.x + id.y * grid.x * 64u;
  if (i >= params.count) {
    return;
  }
  let first = turnOffset[i];
  var stepReward = finalReward[i];
  var discounted = 0.0;
  var total = 0.0;
  for (var k = turnOffset[i + 1u]; k > first; k--) {
    let t = turn[k - 1u];
    stepReward += reward[t] + params.bonus * validates[t];
    discounted = stepReward + params.gamma * discounted;
    total += stepReward;
    stepReturn[t] = discounted;
    stepReward = 0.0;
  }
  episodeReturn[i] = total;
}
