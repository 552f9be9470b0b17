// For each turn k of trajectory i, delta_k is the reward minus the previous reward (differences), or the reward. For
// the first turn it is the reward (fromZero) or 0. Earlier turns share it: c_k = delta_k / z_k + gamma c_{k+1}, with
// z_k = 1 + gamma z_{k-1}.
// centred[k] = c_k - mean of c by weight; shapedReturn[i] = outcome + sum of delta. One invocation per trajectory.

struct Params {
  count: u32,
  gamma: f32,
  differences: u32,
  fromZero: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> turnOffset: array<u32>; // [trajectories + 1]
@group(0) @binding(2) var<storage, read> turn: array<u32>; // turns of each trajectory, first to last
@group(0) @binding(3) var<storage, read> reward: array<f32>; // [turns]
@group(0) @binding(4) var<storage, read> weight: array<f32>; // [turns]
@group(0) @binding(5) var<storage, read> outcome: array<f32>; // [trajectories]
@group(0) @binding(6) var<storage, read_write> progress: array<f32>; // delta [turns]
@group(0) @binding(7) var<storage, read_write> centred: array<f32>; // [turns]
@group(0) @binding(8) var<storage, read_write> shapedReturn: array<f32>; // [trajectories]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let i = id.x + id.y * grid.x * 64u;
  if (i >= params.count) {
    return;
  }
  let first = turnOffset[i];
  let end = turnOffset[i + 1u]; // a trajectory has at least one turn
  var before = select(reward[turn[first]], 0.0, params.fromZero == 1u);
  var z = 0.0;
  var total = 0.0;
  for (var k = first; k < end; k++) {
    let t = turn[k];
    let delta = reward[t] - select(0.0, before, k == first || params.differences == 1u);
    z = 1.0 + params.gamma * z;
    progress[t] = delta;
    centred[t] = delta / z;
    total += delta;
    before = reward[t];
  }
  shapedReturn[i] = outcome[i] + total;

  // The mean is relative to the last turn, so that equal values give exactly 0.
  let last = centred[turn[end - 1u]];
  var credit = 0.0;
  var weighted = 0.0;
  var weights = 0.0;
  for (var k = end; k > first; k--) {
    let t = turn[k - 1u];
    credit = centred[t] + params.gamma * credit;
    centred[t] = credit;
    weighted += weight[t] * (credit - last);
    weights += weight[t];
  }
  for (var k = first; k < end; k++) {
    let t = turn[k];
    centred[t] = (centred[t] - last) - weighted / weights;
  }
}
