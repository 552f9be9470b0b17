// Returns of TAPO (Jin et al. 2025, ReVeal): turns alternate, a generation first, then its verification.
// return_k = R^O + R_turn(k), the same for all tokens of turn k, and A_t = return_k - V_t. The reward R_turn of a
// generation is g(k). R_turn of a verification is its weighted reward plus g of the next generation. g(0) = reward(0),
// g(k) = absolute reward(k) + improvement (reward(k) - reward(k - 2)). The reward of the last turn counts in addition
// to R^O. One invocation per trajectory.

struct Params {
  count: u32,
  absolute: f32,
  improvement: f32,
  verification: f32,
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

// Returns g of the generation at a position of the trajectory that begins at `first`.
fn generation(first: u32, position: u32) -> f32 {
  let turnReward = reward[turn[first + position]];
  if (position == 0u) {
    return turnReward;
  }
  return params.absolute * turnReward + params.improvement * (turnReward - reward[turn[first + position - 2u]]);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let i = id.x + id.y * grid.x * 64u;
  if (i >= params.count) {
    return;
  }
  let first = turnOffset[i];
  let turns = turnOffset[i + 1u] - first;
  for (var position = 0u; position < turns; position++) {
    let k = turn[first + position];
    var turnReward = 0.0;
    if (position % 2u == 0u) {
      turnReward = generation(first, position);
    } else {
      turnReward = params.verification * reward[k];
      if (position + 1u < turns) {
        turnReward += generation(first, position + 1u);
      }
    }
    let total = outcome[i] + turnReward;
    for (var t = tokenOffset[k]; t < tokenOffset[k + 1u]; t++) {
      tokenReturn[t] = total;
      tokenAdvantage[t] = total - tokenValue[t];
    }
  }
}
