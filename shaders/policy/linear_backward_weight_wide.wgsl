// linear_backward_weight_subgroup.wgsl for software renderers (wide_products.wgsl says why): 8 lanes load the 32 output
// gradients of a row, four each, and show them to the others. One invocation computes 32 outputs x 4 inputs, and two rows
// at a time, because what is summed lies in memory; lanes past the inputs compute the last ones again.
// with policy/linear_backward_weight_arguments

enable subgroups;

@group(0) @binding(3) var<storage, read> input: array<vec4f>;
// [chunks, parameters]
@group(0) @binding(4) var<storage, read_write> partial: array<vec4f>;

@compute @workgroup_size(8)
fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(workgroup_id) group: vec3u,
  @builtin(subgroup_invocation_id) lane: u32,
) {
  let rows = counts[params.countIndex];
  let run = (rows + params.chunks - 1u) / params.chunks;
  let first = min(group.z * run, rows);
  let last = min(first + run, rows);
  let in4 = params.in4;
  let column = min(id.x, in4 - 1u);
  let gradientColumn = min(8u * group.y + (lane & 7u), params.outStride4 - 1u);
  var sums: array<vec4f, 32>;
  for (var row = first; row < last; row += 2u) {
    // Beside the last of an odd number of rows there is none.
    let next = min(row + 1u, last - 1u);
    let x = input[row * in4 + column];
    let other = input[next * in4 + column];
    let own = outputGradient[row * params.outStride4 + gradientColumn];
    let ownOther = outputGradient[next * params.outStride4 + gradientColumn] * select(0.0, 1.0, next > row);
    for (var i = 0u; i < 8u; i++) {
      let y = subgroupShuffle(own, i);
      let z = subgroupShuffle(ownOther, i);
      sums[4u * i] += y.x * x + z.x * other;
      sums[4u * i + 1u] += y.y * x + z.y * other;
      sums[4u * i + 2u] += y.z * x + z.z * other;
      sums[4u * i + 3u] += y.w * x + z.w * other;
    }
  }
  if (id.x >= in4) {
    return;
  }
  let goal = group.z * params.partialStride4 + params.weightOffset4 + column;
  for (var i = 0u; i < 32u; i++) {
    let o = 32u * group.y + i;
    if (o < params.outRows) {
      partial[goal + o * in4] = sums[i];
    }
  }
}
