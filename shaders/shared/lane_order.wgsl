// Part of kernels whose lanes each work through a share of something: what they found is summed in the order of the
// lanes, so the bits depend on nothing but the numbers and how many lanes there are. All lanes of the workgroup have to
// get to each of these functions together.

const MOST_LANES = 64u;
var<workgroup> found: array<vec4f, MOST_LANES>;
var<workgroup> agreed: vec4f;

// The sums over the first `lanes` lanes, for lane 0; the others get 0. Not to be followed by another of these functions.
fn sumForFirst(lane: u32, lanes: u32, own: vec4f) -> vec4f {
  found[lane] = own;
  workgroupBarrier();
  var sum = vec4f();
  if (lane == 0u) {
    for (var i = 0u; i < lanes; i++) {
      sum += found[i];
    }
  }
  return sum;
}

// The same for every lane.
fn sumForAll(lane: u32, lanes: u32, own: vec4f) -> vec4f {
  let sum = sumForFirst(lane, lanes, own);
  if (lane == 0u) {
    agreed = sum;
  }
  return workgroupUniformLoad(&agreed);
}

// The largest of each component over the first `lanes` lanes, for every lane.
fn largestForAll(lane: u32, lanes: u32, own: vec4f) -> vec4f {
  found[lane] = own;
  workgroupBarrier();
  if (lane == 0u) {
    var top = found[0];
    for (var i = 1u; i < lanes; i++) {
      top = max(top, found[i]);
    }
    agreed = top;
  }
  return workgroupUniformLoad(&agreed);
}
