// Part of kernels in which each lane computes a partial result. Partial results are summed in the order of the lanes,
// so the bits depend only on the numbers and the number of lanes. All lanes of the workgroup must call each function
// together.

const MAX_LANES = 64u;
var<workgroup> partials: array<vec4f, MAX_LANES>;
var<workgroup> combined: vec4f;

// Returns the sums over the first `lanes` lanes to lane 0, and 0 to all other lanes. A barrier must precede the next
// call of one of these functions.
fn sumForFirst(lane: u32, lanes: u32, value: vec4f) -> vec4f {
  partials[lane] = value;
  workgroupBarrier();
  var sum = vec4f();
  if (lane == 0u) {
    for (var i = 0u; i < lanes; i++) {
      sum += partials[i];
    }
  }
  return sum;
}

// Returns the sums over the first `lanes` lanes to every lane.
fn sumForAll(lane: u32, lanes: u32, value: vec4f) -> vec4f {
  let sum = sumForFirst(lane, lanes, value);
  if (lane == 0u) {
    combined = sum;
  }
  return workgroupUniformLoad(&combined);
}

// Returns the maximum of each component over the first `lanes` lanes to every lane.
fn largestForAll(lane: u32, lanes: u32, value: vec4f) -> vec4f {
  partials[lane] = value;
  workgroupBarrier();
  if (lane == 0u) {
    var top = partials[0];
    for (var i = 1u; i < lanes; i++) {
      top = max(top, partials[i]);
    }
    combined = top;
  }
  return workgroupUniformLoad(&combined);
}
