// linear_subgroup.wgsl for software renderers: the same outputs in the same order of sums, from tiles of TILE_COLUMNS. With
// GATE half of a tile's columns are gates, and the other half what they let through.
// with policy/wide_products
// with policy/linear_arguments

enable subgroups;

override LANES: u32 = 8;

// With GATE the first columns are gates and the others what they let through.
fn store(row: u32, group: u32, values: array<vec4f, TILE_COLUMNS4>) {
  let columns = select(TILE_COLUMNS4, TILE_COLUMNS4 / 2u, GATE);
  for (var i = 0u; i < columns; i++) {
    let column = columns * group + i;
    if (column < params.outStride4) {
      let at = row * params.outStride4 + column;
      let value = values[i];
      if (GATE) {
        output[at] = value / (1.0 + exp(-value)) * values[i + columns];
      } else if (ADD_RESIDUAL) {
        output[at] = residual[at] + value;
      } else {
        output[at] = value;
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
  if (ROWS_PER_LANE * LANES * group.x >= counts[params.countIndex]) {
    return;
  }
  let row = ROWS_PER_LANE * id.x;
  let in4 = params.in4;
  let low = params.weightOffset4 + (params.groupRows * group.y + lane % SHARING_LANES) * in4;
  let high = low + params.highOffset4;
  let start = row * in4;
  var sums = Sums();
  var squares = vec4f();
  for (var k = 0u; k < in4; k++) {
    var x = array(input[start + k], input[start + in4 + k], input[start + 2u * in4 + k], input[start + 3u * in4 + k]);
    if (NORM) {
      let weight = parameters[params.normOffset4 + k];
      squares += vec4f(dot(x[0], x[0]), dot(x[1], x[1]), dot(x[2], x[2]), dot(x[3], x[3]));
      x = array(x[0] * weight, x[1] * weight, x[2] * weight, x[3] * weight);
    }
    let own = array(
      parameters[low + k], parameters[low + SHARING_LANES * in4 + k], parameters[high + k], parameters[high + SHARING_LANES * in4 + k],
    );
    addProducts(&sums, x, own);
  }
  var scale = vec4f(1.0);
  if (NORM) {
    scale = 1.0 / sqrt(squares / f32(4u * in4) + params.epsilon);
  }
  let rows = laneRows(in4);
  for (var i = 0u; i < rows; i++) {
    store(row + i, group.y, rowOf(sums, i, scale[i]));
  }
}
