// Generalised advantage estimation over policy tokens (Schulman et al. 2015), backwards:
// delta_t = r_t + gamma V_{t+1} - V_t, A_t = delta_t + gamma lambda A_{t+1}, return_t = A_t + V_t.
// V and A are 0 after the last token. The arrays exclude tokens of the environment, so the scan continues across them.
// Rewards are on the last token of a turn. If a step is a turn, V is the value at the first token of the turn, and all
// its tokens have A and the return of the step. One invocation per trajectory.

struct Params {
  count: u32,
  gamma: f32,
  lambda: f32,
  turnRewards: u32, // 1: the reward of each intermediate turn is on its last token
  merged: u32, // 1: the sum of these rewards is added to the outcome
  turnSteps: u32, // 1: a step of the scan is a turn, 0: a token
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> turnOffset: array<u32>; // [trajectories + 1]
@group(0) @binding(2) var<storage, read> turn: array<u32>; // turns of each trajectory, first to last
@group(0) @binding(3) var<storage, read> tokenOffset: array<u32>; // [turns + 1] offsets of the tokens of each turn
@group(0) @binding(4) var<storage, read> reward: array<f32>; // [turns]
@group(0) @binding(5) var<storage, read> outcome: array<f32>; // [trajectories]
@group(0) @binding(6) var<storage, read> tokenValue: array<f32>; // V [tokens]
@group(0) @binding(7) var<storage, read_write> tokenAdvantage: array<f32>; // [tokens]
@group(0) @binding(8) var<storage, read_write> tokenReturn: array<f32>; // [tokens]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let i = id.x + id.y * grid.x * 64u;
  if (i >= params.count) {
    return;
  }
  let first = turnOffset[i];
  let last = turnOffset[i + 1u] - 1u; // a trajectory has at least one turn
  var stepReward = outcome[i];
  if (params.merged == 1u) {
    var sum = 0.0;
    for (var k = first; k < last; k++) {
      sum += reward[turn[k]];
    }
    stepReward += sum;
  }
  var nextValue = 0.0;
  var advantage = 0.0;
  for (var back = 0u; back <= last - first; back++) {
    let k = turn[last - back];
    if (back > 0u) {
      stepReward = select(0.0, reward[k], params.turnRewards == 1u);
    }
    var end = tokenOffset[k + 1u];
    while (end > tokenOffset[k]) {
      let start = select(end - 1u, tokenOffset[k], params.turnSteps == 1u);
      let value = tokenValue[start];
      let delta = stepReward + params.gamma * nextValue - value;
      advantage = delta + params.gamma * params.lambda * advantage;
      for (var t = start; t < end; t++) {
        tokenAdvantage[t] = advantage;
        tokenReturn[t] = advantage + value;
      }
      nextValue = value;
      stepReward = 0.0;
      end = start;
    }
  }
}
