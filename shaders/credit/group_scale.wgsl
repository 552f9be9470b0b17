// advantage[t] /= population standard deviation of the group's advantages + epsilon. Advantages are not centred. LANES
// invocations per group: 1 for groups of up to SERIAL turns, 64 for larger groups. The mean is first, then the squared
// deviations from it, in a fixed order.
// with shared/reduce

override LANES: u32;
override SERIAL: u32;
const WIDTH = 64u;

struct Params {
  count: u32,
  epsilon: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> groupOffset: array<u32>; // [groups + 1]
@group(0) @binding(2) var<storage, read_write> advantage: array<f32>; // [turns]

// Sum over the lanes of a group.
fn total(lane: u32, partial: f32) -> f32 {
  return reduce(lane, LANES, vec4f(partial, 0.0, 0.0, 0.0), vec4<bool>(true)).x;
}

@compute @workgroup_size(WIDTH)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let g = (group.x + group.y * grid.x) * (WIDTH / LANES) + select(0u, invocation, LANES == 1u);
  let lane = select(invocation, 0u, LANES == 1u);
  let start = groupOffset[min(g, params.count)];
  var end = groupOffset[min(g + 1u, params.count)];
  // Groups of the other variant have an empty range, because every lane must reach every barrier.
  if ((end - start <= SERIAL) != (LANES == 1u)) {
    end = start;
  }
  let size = f32(max(end - start, 1u));

  var sum = 0.0;
  for (var t = start + lane; t < end; t += LANES) {
    sum += advantage[t];
  }
  let mean = total(lane, sum) / size;
  var squares = 0.0;
  for (var t = start + lane; t < end; t += LANES) {
    squares += (advantage[t] - mean) * (advantage[t] - mean);
  }
  let divisor = sqrt(total(lane, squares) / size) + params.epsilon;
  for (var t = start + lane; t < end; t += LANES) {
    advantage[t] /= divisor;
  }
}
