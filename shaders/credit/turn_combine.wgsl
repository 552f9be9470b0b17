// MT-GRPO: A_K = A^O, A_k = A^I_k + alpha A_{k+1}, which is
// A_k = sum over l from k to K - 1 of alpha^(l-k) A^I_l, + alpha^(K-k) A^O.
// One invocation per trajectory, from the last turn backwards.

struct Params {
  count: u32,
  alpha: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> turnOffset: array<u32>; // [trajectories + 1]
@group(0) @binding(2) var<storage, read> turn: array<u32>; // turns of each trajectory, first to last
@group(0) @binding(3) var<storage, read> turnAdvantage: array<f32>; // A^I [turns]
@group(0) @binding(4) var<storage, read> outcomeAdvantage: array<f32>; // A^O [trajectories]
@group(0) @binding(5) var<storage, read_write> advantage: array<f32>; // [turns]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let i = id.x + id.y * grid.x * 64u;
  if (i >= params.count) {
    return;
  }
  let first = turnOffset[i];
  let last = turnOffset[i + 1u] - 1u; // a trajectory has at least one turn
  var credit = outcomeAdvantage[i];
  advantage[turn[last]] = credit;
  for (var k = last; k > first; k--) {
    credit = turnAdvantage[turn[k - 1u]] + params.alpha * credit;
    advantage[turn[k - 1u]] = credit;
  }
}
