// linear_backward_weight.wgsl with subgroups of at least 8 lanes. 8 lanes load the 32 output gradients of a row, four
// each, and broadcast them. One invocation computes 32 outputs x 2 inputs. Lanes after the last input repeat the last
// inputs.
// with policy/linear_backward_weight_arguments

enable subgroups;

@group(0) @binding(3) var<storage, read> input: array<vec2f>;
// [chunks, parameters]
@group(0) @binding(4) var<storage, read_write> partial: array<vec2f>;

@compute @workgroup_size(32)
fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(workgroup_id) group: vec3u,
  @builtin(subgroup_invocation_id) lane: u32,
) {
  let rows = counts[params.countIndex];
  let run = (rows + params.chunks - 1u) / params.chunks;
  let first = min(group.z * run, rows);
  let last = min(first + run, rows);
  let in2 = 2u * params.in4;
  let column = min(id.x, in2 - 1u);
  let gradientColumn = min(8u * group.y + (lane & 7u), params.outStride4 - 1u);
  var sums: array<vec2f, 32>;
  for (var row = first; row < last; row++) {
    let x = input[row * in2 + column];
    let y = outputGradient[row * params.outStride4 + gradientColumn];
    let y0 = subgroupBroadcast(y, 0u);
    sums[0] += y0.x * x; sums[1] += y0.y * x; sums[2] += y0.z * x; sums[3] += y0.w * x;
    let y1 = subgroupBroadcast(y, 1u);
    sums[4] += y1.x * x; sums[5] += y1.y * x; sums[6] += y1.z * x; sums[7] += y1.w * x;
    let y2 = subgroupBroadcast(y, 2u);
    sums[8] += y2.x * x; sums[9] += y2.y * x; sums[10] += y2.z * x; sums[11] += y2.w * x;
    let y3 = subgroupBroadcast(y, 3u);
    sums[12] += y3.x * x; sums[13] += y3.y * x; sums[14] += y3.z * x; sums[15] += y3.w * x;
    let y4 = subgroupBroadcast(y, 4u);
    sums[16] += y4.x * x; sums[17] += y4.y * x; sums[18] += y4.z * x; sums[19] += y4.w * x;
    let y5 = subgroupBroadcast(y, 5u);
    sums[20] += y5.x * x; sums[21] += y5.y * x; sums[22] += y5.z * x; sums[23] += y5.w * x;
    let y6 = subgroupBroadcast(y, 6u);
    sums[24] += y6.x * x; sums[25] += y6.y * x; sums[26] += y6.z * x; sums[27] += y6.w * x;
    let y7 = subgroupBroadcast(y, 7u);
    sums[28] += y7.x * x; sums[29] += y7.y * x; sums[30] += y7.z * x; sums[31] += y7.w * x;
  }
  if (id.x >= in2) {
    return;
  }
  let goal = 2u * (group.z * params.partialStride4 + params.weightOffset4) + column;
  for (var i = 0u; i < 32u; i++) {
    let o = 32u * group.y + i;
    if (o < params.outRows) {
      partial[goal + o * in2] = sums[i];
    }
  }
}
