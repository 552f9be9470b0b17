// One layer for the newest row of every sequence in one dispatch: the embedding before the first layer; queries, keys
// and values, attention, output projection and feed-forward; the logits after the last layer. The same arithmetic as a
// dispatch for each (embed.wgsl, linear_wide.wgsl, rope_cache.wgsl, attention.wgsl). An invocation takes ROWS_PER_LANE
// rows through all of it, so that nothing waits for another row. No lane may leave before the others, so rows past the
// count are computed from whatever is there, all but their attention, which writes to the cache. Where such a row, or
// the edge of a matrix, makes a place past the end of a buffer, WebGPU's robust access keeps the read inside the buffer,
// and nothing that counts is made of what it gives.
// with policy/decode_arguments
// with policy/decode_matrices
// with policy/decode_attention

enable subgroups;

override LANES: u32 = 8;

// The matrices, in the order in which they are done.
const PROJECTION = 0u;
const OUTPUT = 1u;
const GATE = 2u;
const DOWN = 3u;
const LOGITS = 4u;

// Columns that a tile of a matrix gives, in vec4f: a gate's are half of its rows of weights.
fn tileColumns4(matrix: u32) -> u32 {
  return select(TILE_COLUMNS4, TILE_COLUMNS4 / 2u, matrix == GATE);
}

// One part of the residual stream is the other one and what was found.
fn addTo(goal: u32, residual: u32, row: u32, width4: u32, column: u32, sum: vec4f) {
  activations[place(goal, row, width4) + column] = activations[place(residual, row, width4) + column] + sum;
}

// Stores what one row and one tile of a matrix give; a gate lets the second half through.
fn store(matrix: u32, row: u32, tile: u32, width4: u32, sums: array<vec4f, TILE_COLUMNS4>) {
  let columns = tileColumns4(matrix);
  for (var i = 0u; i < columns; i++) {
    let column = columns * tile + i;
    if (column < width4) {
      if (matrix == LOGITS) {
        logits[row * width4 + column] = sums[i];
      } else if (matrix == PROJECTION) {
        activations[place(PROJECTED, row, width4) + column] = sums[i];
      } else if (matrix == GATE) {
        activations[place(ACTIVATED, row, width4) + column] = sums[i] / (1.0 + exp(-sums[i])) * sums[i + columns];
      } else if (matrix == OUTPUT) {
        addTo(MIDDLE, STREAM, row, width4, column, sums[i]);
      } else if (matrix == DOWN) {
        addTo(STREAM, MIDDLE, row, width4, column, sums[i]);
      }
    }
  }
}

// Prepares what a matrix multiplies, for one row; returns the scale of the product.
fn prepare(matrix: u32, row: u32, running: bool) -> f32 {
  let dim4 = params.dim4;
  let description = rows[params.rowBase + row];
  if (matrix == OUTPUT && running) {
    let projected = place(PROJECTED, row, (HEADS + 2u * KV_HEADS) * HEAD_DIM4);
    attendRow(description.z, description.w, projected, place(INPUT, row, dim4), dim4 / HEADS);
  }
  if (matrix == OUTPUT || matrix == DOWN) {
    return 1.0;
  }
  if (matrix == PROJECTION && params.embedded > 0u) {
    embed(place(STREAM, row, dim4), dim4, description.x, description.y, params.embedOffset4, params.smearOffset4);
  }
  let source = place(select(STREAM, MIDDLE, matrix == GATE), row, dim4);
  let norm = array(params.attnNormOffset4, 0u, params.ffNormOffset4, 0u, params.normOffset4)[matrix];
  return normalise(source, place(INPUT, row, dim4), dim4, norm, params.epsilon);
}

@compute @workgroup_size(LANES)
fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(workgroup_id) group: vec3u,
  @builtin(subgroup_invocation_id) lane: u32,
) {
  let count = counts[params.countIndex];
  if (ROWS_PER_LANE * LANES * group.x >= count) {
    return;
  }
  let row = ROWS_PER_LANE * id.x;
  let dim4 = params.dim4;
  let ownRows = laneRows(dim4);
  for (var matrix = PROJECTION; matrix < params.matrices; matrix++) {
    var scale = vec4f();
    for (var i = 0u; i < ownRows; i++) {
      scale[i] = prepare(matrix, row + i, row + i < count);
    }
    let in4 = select(dim4, params.ff4, matrix == DOWN);
    let width4 = array((HEADS + 2u * KV_HEADS) * HEAD_DIM4, dim4, params.ff4, dim4, params.logits4)[matrix];
    let weights = array(
      params.projectionOffset4, params.outputOffset4, params.gateOffset4, params.downOffset4, params.embedOffset4,
    )[matrix];
    let input = place(select(INPUT, ACTIVATED, matrix == DOWN), row, in4);
    // The second half of a tile's weights follows the first, that of a gate is in the matrix behind it.
    let high = select(TILE_COLUMNS / 2u, 4u * params.ff4, matrix == GATE) * in4;
    let columns = tileColumns4(matrix);
    for (var tile = 0u; columns * tile < width4; tile++) {
      let start = weights + 4u * columns * tile * in4;
      let sums = products(lane, input, in4, start, start + high);
      for (var i = 0u; i < ownRows; i++) {
        store(matrix, row + i, tile, width4, rowOf(sums, i, scale[i]));
      }
    }
  }
}
