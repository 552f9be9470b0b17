// linear_backward_input_subgroup.wgsl for software renderers (wide_products.wgsl says why): for every four outputs, each of
// SHARING_LANES lanes loads their weights of another four inputs and shows them to the others. One invocation computes
// ROWS_PER_LANE rows x TILE_COLUMNS inputs. Rows past the count, up to the workgroup's end, are computed from whatever is there.
// with policy/wide_products
// with policy/linear_backward_input_arguments

enable subgroups;

override LANES: u32 = 8;

fn store(row: u32, column4: u32, values: array<vec4f, TILE_COLUMNS4>) {
  for (var i = 0u; i < TILE_COLUMNS4; i++) {
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
  if (ROWS_PER_LANE * LANES * group.x >= counts[params.countIndex]) {
    return;
  }
  let row = ROWS_PER_LANE * id.x;
  let in4 = params.in4;
  let out4 = params.outStride4;
  let start = row * out4;
  let column4 = TILE_COLUMNS4 * group.y;
  let weights = params.weightOffset4 + min(column4 + lane % SHARING_LANES, in4 - 1u);
  var sums = Sums();
  for (var o4 = 0u; o4 < out4; o4++) {
    let y0 = outputGradient[start + o4];
    let y1 = outputGradient[start + out4 + o4];
    let y2 = outputGradient[start + 2u * out4 + o4];
    let y3 = outputGradient[start + 3u * out4 + o4];
    let at = weights + 4u * o4 * in4;
    let own0 = parameters[at];
    let own1 = parameters[at + in4];
    let own2 = parameters[at + 2u * in4];
    let own3 = parameters[at + 3u * in4];
    for (var i = 0u; i < TILE_COLUMNS4; i++) {
      let w0 = subgroupShuffle(own0, i);
      let w1 = subgroupShuffle(own1, i);
      let w2 = subgroupShuffle(own2, i);
      let w3 = subgroupShuffle(own3, i);
      sums.a[i] += y0.x * w0 + y0.y * w1 + y0.z * w2 + y0.w * w3;
      sums.b[i] += y1.x * w0 + y1.y * w1 + y1.z * w2 + y1.w * w3;
      sums.c[i] += y2.x * w0 + y2.y * w1 + y2.z * w2 + y2.w * w3;
      sums.d[i] += y3.x * w0 + y3.y * w1 + y3.z * w2 + y3.w * w3;
    }
  }
  let rows = laneRows(in4);
  for (var i = 0u; i < rows; i++) {
    store(row + i, column4, rowOf(sums, i, 1.0));
  }
}
