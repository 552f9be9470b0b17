// linear.wgsl with subgroups of at least 8 lanes. Each of 8 lanes loads a different row of the weights and broadcasts
// it, so a workgroup reads every weight once, not once per lane. One invocation computes 4 rows x 16 outputs. With NORM
// the kernel RMS-normalises the input, with GATE it applies SwiGLU to the outputs. Generation stores no activations, so
// it requires no separate passes. The rows of the weights are the same for the workgroup, for any size of its
// subgroups. Rows after the count, up to the end of the workgroup, are computed from undefined values, because no lane
// may return before a broadcast.
// with policy/linear_arguments

enable subgroups;

const LANES = 32u;

// Dot products of a row of the input with the weights of four adjacent lanes.
fn products(x: vec4f, w0: vec4f, w1: vec4f, w2: vec4f, w3: vec4f) -> vec4f {
  return vec4f(dot(x, w0), dot(x, w1), dot(x, w2), dot(x, w3));
}

// `scale`: factor of the norm. With GATE, the low columns are gates of the high columns.
fn store(row: u32, group: u32, scale: f32, values: array<vec4f, 4>) {
  if (GATE) {
    for (var i = 0u; i < 2u; i++) {
      if (2u * group + i < params.outStride4) {
        let gate = scale * values[i];
        output[row * params.outStride4 + 2u * group + i] = gate / (1.0 + exp(-gate)) * (scale * values[i + 2u]);
      }
    }
    return;
  }
  for (var i = 0u; i < 4u; i++) {
    if (4u * group + i < params.outStride4) {
      let at = row * params.outStride4 + 4u * group + i;
      if (ADD_RESIDUAL) {
        output[at] = residual[at] + scale * values[i];
      } else {
        output[at] = scale * values[i];
      }
    }
  }
}

@compute @workgroup_size(LANES)
fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(workgroup_id) group: vec3u,
  @builtin(subgroup_invocation_id) lane: u32,
) {
  if (4u * LANES * group.x >= counts[params.countIndex]) {
    return;
  }
  let row = 4u * id.x;
  let in4 = params.in4;
  let weightStart = params.weightOffset4 + (params.groupRows * group.y + (lane & 7u)) * in4;
  let inputStart = row * in4;
  var a: array<vec4f, 4>;
  var b: array<vec4f, 4>;
  var c: array<vec4f, 4>;
  var d: array<vec4f, 4>;
  var squares = vec4f();
  for (var k = 0u; k < in4; k++) {
    var x0 = input[inputStart + k];
    var x1 = input[inputStart + in4 + k];
    var x2 = input[inputStart + 2u * in4 + k];
    var x3 = input[inputStart + 3u * in4 + k];
    if (NORM) {
      let weight = parameters[params.normOffset4 + k];
      squares += vec4f(dot(x0, x0), dot(x1, x1), dot(x2, x2), dot(x3, x3));
      x0 *= weight; x1 *= weight; x2 *= weight; x3 *= weight;
    }
    let low = parameters[weightStart + k];
    let high = parameters[weightStart + params.highOffset4 + k];
    var w0 = subgroupBroadcast(low, 0u);
    var w1 = subgroupBroadcast(low, 1u);
    var w2 = subgroupBroadcast(low, 2u);
    var w3 = subgroupBroadcast(low, 3u);
    a[0] += products(x0, w0, w1, w2, w3);
    b[0] += products(x1, w0, w1, w2, w3);
    c[0] += products(x2, w0, w1, w2, w3);
    d[0] += products(x3, w0, w1, w2, w3);
    w0 = subgroupBroadcast(low, 4u);
    w1 = subgroupBroadcast(low, 5u);
    w2 = subgroupBroadcast(low, 6u);
    w3 = subgroupBroadcast(low, 7u);
    a[1] += products(x0, w0, w1, w2, w3);
    b[1] += products(x1, w0, w1, w2, w3);
    c[1] += products(x2, w0, w1, w2, w3);
    d[1] += products(x3, w0, w1, w2, w3);
    w0 = subgroupBroadcast(high, 0u);
    w1 = subgroupBroadcast(high, 1u);
    w2 = subgroupBroadcast(high, 2u);
    w3 = subgroupBroadcast(high, 3u);
    a[2] += products(x0, w0, w1, w2, w3);
    b[2] += products(x1, w0, w1, w2, w3);
    c[2] += products(x2, w0, w1, w2, w3);
    d[2] += products(x3, w0, w1, w2, w3);
    w0 = subgroupBroadcast(high, 4u);
    w1 = subgroupBroadcast(high, 5u);
    w2 = subgroupBroadcast(high, 6u);
    w3 = subgroupBroadcast(high, 7u);
    a[3] += products(x0, w0, w1, w2, w3);
    b[3] += products(x1, w0, w1, w2, w3);
    c[3] += products(x2, w0, w1, w2, w3);
    d[3] += products(x3, w0, w1, w2, w3);
  }
  var scale = vec4f(1.0);
  if (NORM) {
    scale = 1.0 / sqrt(squares / f32(4u * in4) + params.epsilon);
  }
  store(row, group.y, scale.x, a);
  store(row + 1u, group.y, scale.y, b);
  store(row + 2u, group.y, scale.z, c);
  store(row + 3u, group.y, scale.w, d);
}
