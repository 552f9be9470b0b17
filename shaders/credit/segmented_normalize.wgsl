// normalized[m] = (value[m] - mean) / (std + epsilon) over the members m of each segment; 0 where all members are equal.
// With leaveOneOut each member's mean is that of the others. Members that are not retained count for nothing.
// LANES invocations a segment: 1 for segments of up to SERIAL members, all 64 for longer ones; a segment is done by one
// of the two alone, so its bits do not depend on the batch. Mean first, then variance, both around the first member, so
// that rewards far from 0 lose no digits; the reduction has a fixed order.
// with shared/reduce

override LANES: u32;
override SERIAL: u32;
const WIDTH = 64u;

struct Params {
  count: u32,
  ddof: u32,
  epsilon: f32,
  scaleByStd: u32,
  rawSingleton: u32,
  tie: f32, // members this close together, relative to the largest magnitude, count as equal
  leaveOneOut: u32,
  masked: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> segmentOffset: array<u32>;
@group(0) @binding(2) var<storage, read> segmentMember: array<u32>;
@group(0) @binding(3) var<storage, read> value: array<f32>;
@group(0) @binding(4) var<storage, read> retained: array<u32>; // [members], read only where masked
@group(0) @binding(5) var<storage, read> magnitude: array<f32>; // [members] of what a value is the sum of, or the value
@group(0) @binding(6) var<storage, read_write> normalized: array<f32>;

fn counts(member: u32) -> bool {
  return params.masked == 0u || retained[member] != 0u;
}

// Over the lanes of a segment: the sums of x and w, the largest y, the largest z.
fn overLanes(lane: u32, own: vec4f) -> vec4f {
  return reduce(lane, LANES, own, vec4<bool>(true, false, false, true));
}

@compute @workgroup_size(WIDTH)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let segment = (group.x + group.y * grid.x) * (WIDTH / LANES) + select(0u, invocation, LANES == 1u);
  let lane = select(invocation, 0u, LANES == 1u);
  let inside = segment < params.count;
  var start = segmentOffset[min(segment, params.count)];
  let end = segmentOffset[min(segment + 1u, params.count)];
  // Not this kernel's: an empty range, so that every lane still meets every barrier.
  if (!inside || ((end - start <= SERIAL) != (LANES == 1u))) {
    start = end;
  }
  while (start < end && !counts(segmentMember[start])) {
    start++;
  }
  let first = value[segmentMember[select(0u, start, start < end)]];
  var own = vec4f();
  for (var at = start + lane; at < end; at += LANES) {
    let member = segmentMember[at];
    if (counts(member)) {
      let x = value[member];
      own = vec4f(own.x + (x - first), max(own.yz, vec2f(abs(x - first), abs(magnitude[member]))), own.w + 1.0);
    }
  }
  let spread = overLanes(lane, own);
  let size = spread.w;
  let equal = spread.y <= params.tie * spread.z;
  let raw = size == 1.0 && params.rawSingleton == 1u;
  let mean = select(spread.x / max(size, 1.0), -first, raw); // x - first - mean is then the reward itself

  var squares = 0.0;
  for (var at = start + lane; at < end; at += LANES) {
    let member = segmentMember[at];
    if (counts(member)) {
      let centred = (value[member] - first) - mean;
      squares += centred * centred;
    }
  }
  let total = overLanes(lane, vec4f(squares, 0.0, 0.0, 0.0)).x;
  let freedom = max(size - f32(params.ddof), 1.0); // a lone member is equal to itself; only avoid 0 / 0
  let deviation = select(sqrt(total / freedom), 1.0, raw);
  var divisor = select(1.0, deviation + params.epsilon, params.scaleByStd == 1u);
  // The mean of the others is farther away than the mean of all: x - (n mean - x) / (n - 1).
  divisor *= select(1.0, max(size - 1.0, 1.0) / size, params.leaveOneOut == 1u && size > 0.0);

  for (var at = start + lane; at < end; at += LANES) {
    let member = segmentMember[at];
    if (counts(member)) {
      normalized[member] = select(((value[member] - first) - mean) / divisor, 0.0, equal && !raw);
    }
  }
}
