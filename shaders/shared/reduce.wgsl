// Part of kernels that reduce the partial results of the lanes of a workgroup in a tree. Lane i adds lane i + stride,
// and the stride is halved. The order is fixed, so the bits of a sum depend only on the numbers and the number of
// lanes.

const MAX_LANES = 64u;
var<workgroup> partials: array<vec4f, MAX_LANES>;

// Reduces over the first `lanes` lanes, a power of two: the sum of each component that is `summed`, the maximum of each
// other component. All lanes of the workgroup must call it together, and all receive the result. With one lane it
// returns `value`.
fn reduce(lane: u32, lanes: u32, value: vec4f, summed: vec4<bool>) -> vec4f {
  if (lanes == 1u) {
    return value;
  }
  partials[lane] = value;
  for (var stride = lanes / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (lane < stride) {
      let a = partials[lane];
      let b = partials[lane + stride];
      partials[lane] = select(max(a, b), a + b, summed);
    }
  }
  return workgroupUniformLoad(&partials[0]);
}
