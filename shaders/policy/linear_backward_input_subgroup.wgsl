// linear_backward_input.wgsl with subgroups of at least 8 lanes. For every four outputs, 8 lanes load the 16 vectors of
// weights of a block of 16 inputs, two each, and broadcast them. One invocation computes 4 rows x 16 inputs. Rows after
// the count, up to the end of the workgroup, are computed from undefined values, because no lane may return before a
// broadcast.
// with policy/linear_backward_input_arguments

enable subgroups;

const LANES = 32u;

fn store(row: u32, column4: u32, values: array<vec4f, 4>) {
  for (var i = 0u; i < 4u; i++) {
    if (column4 + i < params.in4) {
      inputGradient[row * params.in4 + column4 + i] = values[i];
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
  let out4 = params.outStride4;
  let start = row * out4;
  let column4 = 4u * group.y;
  // Lanes 0 to 3 load the four column vectors of outputs 0 and 2, lanes 4 to 7 load the vectors of outputs 1 and 3.
  let weightStart = params.weightOffset4 + ((lane >> 2u) & 1u) * in4 + min(column4 + (lane & 3u), in4 - 1u);
  var a: array<vec4f, 4>;
  var b: array<vec4f, 4>;
  var c: array<vec4f, 4>;
  var d: array<vec4f, 4>;
  for (var o4 = 0u; o4 < out4; o4++) {
    let y0 = outputGradient[start + o4];
    let y1 = outputGradient[start + out4 + o4];
    let y2 = outputGradient[start + 2u * out4 + o4];
    let y3 = outputGradient[start + 3u * out4 + o4];
    let at = weightStart + 4u * o4 * in4;
    let low = parameters[at];
    let high = parameters[at + 2u * in4];
    var w = subgroupBroadcast(low, 0u);
    a[0] += y0.x * w; b[0] += y1.x * w; c[0] += y2.x * w; d[0] += y3.x * w;
    w = subgroupBroadcast(low, 1u);
    a[1] += y0.x * w; b[1] += y1.x * w; c[1] += y2.x * w; d[1] += y3.x * w;
    w = subgroupBroadcast(low, 2u);
    a[2] += y0.x * w; b[2] += y1.x * w; c[2] += y2.x * w; d[2] += y3.x * w;
    w = subgroupBroadcast(low, 3u);
    a[3] += y0.x * w; b[3] += y1.x * w; c[3] += y2.x * w; d[3] += y3.x * w;
    w = subgroupBroadcast(low, 4u);
    a[0] += y0.y * w; b[0] += y1.y * w; c[0] += y2.y * w; d[0] += y3.y * w;
    w = subgroupBroadcast(low, 5u);
    a[1] += y0.y * w; b[1] += y1.y * w; c[1] += y2.y * w; d[1] += y3.y * w;
    w = subgroupBroadcast(low, 6u);
    a[2] += y0.y * w; b[2] += y1.y * w; c[2] += y2.y * w; d[2] += y3.y * w;
    w = subgroupBroadcast(low, 7u);
    a[3] += y0.y * w; b[3] += y1.y * w; c[3] += y2.y * w; d[3] += y3.y * w;
    w = subgroupBroadcast(high, 0u);
    a[0] += y0.z * w; b[0] += y1.z * w; c[0] += y2.z * w; d[0] += y3.z * w;
    w = subgroupBroadcast(high, 1u);
    a[1] += y0.z * w; b[1] += y1.z * w; c[1] += y2.z * w; d[1] += y3.z * w;
    w = subgroupBroadcast(high, 2u);
    a[2] += y0.z * w; b[2] += y1.z * w; c[2] += y2.z * w; d[2] += y3.z * w;
    w = subgroupBroadcast(high, 3u);
    a[3] += y0.z * w; b[3] += y1.z * w; c[3] += y2.z * w; d[3] += y3.z * w;
    w = subgroupBroadcast(high, 4u);
    a[0] += y0.w * w; b[0] += y1.w * w; c[0] += y2.w * w; d[0] += y3.w * w;
    w = subgroupBroadcast(high, 5u);
    a[1] += y0.w * w; b[1] += y1.w * w; c[1] += y2.w * w; d[1] += y3.w * w;
    w = subgroupBroadcast(high, 6u);
    a[2] += y0.w * w; b[2] += y1.w * w; c[2] += y2.w * w; d[2] += y3.w * w;
    w = subgroupBroadcast(high, 7u);
    a[3] += y0.w * w; b[3] += y1.w * w; c[3] += y2.w * w; d[3] += y3.w * w;
  }
  store(row, column4, a);
  store(row + 1u, column4, b);
  store(row + 2u, column4, c);
  store(row + 3u, column4, d);
}
