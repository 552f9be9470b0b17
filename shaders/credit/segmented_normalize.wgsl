// normalized[m] = (value[m] - mean) / (std + epsilon) over the members m of each segment; 0 where all members are equal.
// One workgroup a segment of any size. Mean first, then variance, both around the first member, so that rewards far
// from 0 lose no digits; the reduction has a fixed order.

override WIDTH: u32 = 64u;

struct Params {
  count: u32,
  ddof: u32,
  epsilon: f32,
  scaleByStd: u32,
  rawSingleton: u32,
  tie: f32, // members this close together, relative to the largest, count as equal
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> segmentOffset: array<u32>;
@group(0) @binding(2) var<storage, read> segmentMember: array<u32>;
@group(0) @binding(3) var<storage, read> value: array<f32>;
@group(0) @binding(4) var<storage, read_write> normalized: array<f32>;

var<workgroup> lanes: array<vec3f, WIDTH>;

// Over all lanes: the sum of x, the largest y, the largest z.
fn reduce(lane: u32, own: vec3f) -> vec3f {
  lanes[lane] = own;
  for (var stride = WIDTH / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (lane < stride) {
      let a = lanes[lane];
      let b = lanes[lane + stride];
      lanes[lane] = vec3f(a.x + b.x, max(a.yz, b.yz));
    }
  }
  workgroupBarrier();
  let total = lanes[0];
  workgroupBarrier(); // everyone has read before the next reduction writes
  return total;
}

@compute @workgroup_size(WIDTH)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  if (group.x >= params.count) {
    return;
  }
  let start = segmentOffset[group.x];
  let end = segmentOffset[group.x + 1u];
  let size = end - start;
  if (size == 0u) {
    return;
  }
  let first = value[segmentMember[start]];
  if (size == 1u && params.rawSingleton == 1u) {
    if (lane == 0u) {
      normalized[segmentMember[start]] = first / select(1.0, 1.0 + params.epsilon, params.scaleByStd == 1u);
    }
    return;
  }

  var own = vec3f();
  for (var at = start + lane; at < end; at += WIDTH) {
    let x = value[segmentMember[at]];
    own = vec3f(own.x + (x - first), max(own.y, abs(x - first)), max(own.z, abs(x)));
  }
  let spread = reduce(lane, own);
  let equal = spread.y <= params.tie * spread.z;
  let mean = spread.x / f32(size);

  var squares = 0.0;
  for (var at = start + lane; at < end; at += WIDTH) {
    let centred = (value[segmentMember[at]] - first) - mean;
    squares += centred * centred;
  }
  let total = reduce(lane, vec3f(squares, 0.0, 0.0)).x;
  let freedom = max(size, params.ddof + 1u) - params.ddof; // a lone member is equal to itself; only avoid 0 / 0
  let divisor = select(1.0, sqrt(total / f32(freedom)) + params.epsilon, params.scaleByStd == 1u);

  for (var at = start + lane; at < end; at += WIDTH) {
    let member = segmentMember[at];
    let centred = (value[member] - first) - mean;
    normalized[member] = select(centred / divisor, 0.0, equal);
  }
}
