// weight[m] = exp(factor score[m]) / sum exp(factor score) over the members of each segment; factor 0 gives equal
// weights. The largest score is subtracted first, because exponentials of scores far below 0 all underflow. LANES
// invocations per segment: 1 for segments of up to SERIAL members, 64 for longer segments. The reduction has a fixed
// order.
// with shared/reduce

override LANES: u32;
override SERIAL: u32;
const WIDTH = 64u;
const LOWEST = -3.4028234663852886e38;

struct Params {
  count: u32,
  factor: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> segmentOffset: array<u32>; // [segments + 1]
@group(0) @binding(2) var<storage, read> segmentMember: array<u32>;
@group(0) @binding(3) var<storage, read> score: array<f32>; // [members]
@group(0) @binding(4) var<storage, read_write> weight: array<f32>; // [members]

@compute @workgroup_size(WIDTH)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let segment = (workgroup.x + workgroup.y * grid.x) * (WIDTH / LANES) + select(0u, invocation, LANES == 1u);
  let lane = select(invocation, 0u, LANES == 1u);
  let inside = segment < params.count;
  var start = segmentOffset[min(segment, params.count)];
  let end = segmentOffset[min(segment + 1u, params.count)];
  // Segments of the other variant have an empty range, because every lane must reach every barrier.
  if (!inside || ((end - start <= SERIAL) != (LANES == 1u))) {
    start = end;
  }
  var largest = LOWEST;
  for (var at = start + lane; at < end; at += LANES) {
    largest = max(largest, params.factor * score[segmentMember[at]]);
  }
  largest = reduce(lane, LANES, vec4f(largest), vec4<bool>(false)).x;
  var sum = 0.0;
  for (var at = start + lane; at < end; at += LANES) {
    sum += exp(params.factor * score[segmentMember[at]] - largest);
  }
  sum = reduce(lane, LANES, vec4f(sum), vec4<bool>(true)).x;
  for (var at = start + lane; at < end; at += LANES) {
    let member = segmentMember[at];
    weight[member] = exp(params.factor * score[member] - largest) / sum;
  }
}
