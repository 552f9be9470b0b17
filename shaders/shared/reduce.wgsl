// Part of kernels whose workgroup puts together what its lanes found, in a tree: lane i takes in lane i + stride, and the
// stride is halved. The order is fixed, so the bits of a sum depend on nothing but the numbers and how many lanes there are.

const MOST_LANES = 64u;
var<workgroup> found: array<vec4f, MOST_LANES>;

// Over the first `lanes` lanes, a power of two: the sums of the components that are `summed`, the largest of the others.
// All lanes of the workgroup have to get here together, and all get the result; a lane that is alone keeps what it has.
fn reduce(lane: u32, lanes: u32, own: vec4f, summed: vec4<bool>) -> vec4f {
  if (lanes == 1u) {
    return own;
  }
  found[lane] = own;
  for (var stride = lanes / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (lane < stride) {
      let a = found[lane];
      let b = found[lane + stride];
      found[lane] = select(max(a, b), a + b, summed);
    }
  }
  return workgroupUniformLoad(&found[0]);
}
