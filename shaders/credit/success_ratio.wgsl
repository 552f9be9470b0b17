// ratio[i] = (r_i - mean r) / (mean r + epsilon) over the trajectories of a group, with r_i = max(outcome[i], 0). It is
// 0 if all r_i are equal, also without a success. One invocation per group; the sum is relative to the first outcome.

struct Params {
  count: u32,
  epsilon: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> trajectoryOffset: array<u32>; // [groups + 1]
@group(0) @binding(2) var<storage, read> trajectory: array<u32>; // trajectories of each group
@group(0) @binding(3) var<storage, read> outcome: array<f32>; // [trajectories]
@group(0) @binding(4) var<storage, read_write> ratio: array<f32>; // [trajectories]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let g = id.x + id.y * grid.x * 64u;
  if (g >= params.count) {
    return;
  }
  let start = trajectoryOffset[g];
  let end = trajectoryOffset[g + 1u];
  if (start == end) {
    return;
  }
  let first = max(outcome[trajectory[start]], 0.0);
  var sum = 0.0;
  var equal = true;
  for (var at = start; at < end; at++) {
    let difference = max(outcome[trajectory[at]], 0.0) - first;
    sum += difference;
    equal = equal && difference == 0.0;
  }
  let mean = sum / f32(end - start);
  for (var at = start; at < end; at++) {
    let i = trajectory[at];
    let centred = (max(outcome[i], 0.0) - first) - mean;
    ratio[i] = select(centred / (first + mean + params.epsilon), 0.0, equal);
  }
}
