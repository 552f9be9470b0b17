// normalized[m] = (value[m] - mean) / (std + epsilon) over the members m of each segment; 0 if all members are equal.
// With leaveOneOut, the mean excludes the member itself. Members that are not retained are ignored.
// LANES invocations per segment: 1 for segments of up to SERIAL members, 64 for longer segments. Only one of the two
// variants computes a segment, so its bits do not depend on the batch. Mean and variance are relative to the first
// member, so that rewards far from 0 lose no digits. The reduction has a fixed order.
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
  tie: f32, // members within this distance, relative to the largest magnitude, count as equal
  leaveOneOut: u32,
  masked: u32,
  partial: u32, // 1 if a segment can be part of a group
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> segmentOffset: array<u32>;
@group(0) @binding(2) var<storage, read> segmentMember: array<u32>;
@group(0) @binding(3) var<storage, read> value: array<f32>;
@group(0) @binding(4) var<storage, read> retained: array<u32>; // [members], read only if masked
@group(0) @binding(5) var<storage, read> magnitude: array<f32>; // [members] of the terms of a value, or of the value
@group(0) @binding(6) var<storage, read> rollouts: array<u32>; // [members] of the member's group, read only if partial
@group(0) @binding(7) var<storage, read_write> normalized: array<f32>;

fn counts(member: u32) -> bool {
  return params.masked == 0u || retained[member] != 0u;
}

// Reduces over the lanes of a segment: the sums of x and w, the largest y, the largest z.
fn overLanes(lane: u32, partial: vec4f) -> vec4f {
  return reduce(lane, LANES, partial, vec4<bool>(true, false, false, true));
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
  // Segments of the other variant have an empty range, because every lane must reach every barrier.
  if (!inside || ((end - start <= SERIAL) != (LANES == 1u))) {
    start = end;
  }
  while (start < end && !counts(segmentMember[start])) {
    start++;
  }
  let firstMember = segmentMember[select(0u, start, start < end)];
  let first = value[firstMember];
  var partial = vec4f();
  for (var at = start + lane; at < end; at += LANES) {
    let member = segmentMember[at];
    if (counts(member)) {
      let x = value[member];
      partial = vec4f(partial.x + (x - first), max(partial.yz, vec2f(abs(x - first), abs(magnitude[member]))), partial.w + 1.0);
    }
  }
  let sums = overLanes(lane, partial);
  let size = sums.w;
  let equal = sums.y <= params.tie * sums.z;
  let single = size == 1.0 && (params.partial == 0u || rollouts[firstMember] == 1u);
  let raw = single && params.rawSingleton == 1u;
  let mean = select(sums.x / max(size, 1.0), -first, raw); // if raw, x - first - mean is the reward itself

  var squares = 0.0;
  for (var at = start + lane; at < end; at += LANES) {
    let member = segmentMember[at];
    if (counts(member)) {
      let centred = (value[member] - first) - mean;
      squares += centred * centred;
    }
  }
  let total = overLanes(lane, vec4f(squares, 0.0, 0.0, 0.0)).x;
  let freedom = max(size - f32(params.ddof), 1.0); // a single member is equal to itself; the maximum only avoids 0 / 0
  let deviation = select(sqrt(total / freedom), 1.0, raw);
  var divisor = select(1.0, deviation + params.epsilon, params.scaleByStd == 1u);
  // The mean without the member has a larger distance than the mean of all: x - (n mean - x) / (n - 1).
  divisor *= select(1.0, max(size - 1.0, 1.0) / size, params.leaveOneOut == 1u && size > 0.0);

  for (var at = start + lane; at < end; at += LANES) {
    let member = segmentMember[at];
    if (counts(member)) {
      normalized[member] = select(((value[member] - first) - mean) / divisor, 0.0, equal && !raw);
    }
  }
}
