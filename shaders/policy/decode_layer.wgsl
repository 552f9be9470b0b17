// One layer for the newest row of every sequence in one dispatch: the embedding before the first layer; queries, keys
// and values, attention, output projection and feed-forward; the logits after the last layer. The same arithmetic as a
// dispatch for each (embed.wgsl, linear_wide.wgsl, rope_cache.wgsl, attention.wgsl). An invocation takes 4 rows
// through all of it, so that nothing waits for another row. No lane may leave before the others, so rows past the
// count are computed from whatever is there, all but their attention, which writes to the cache.
// with policy/decode_matrices
// with policy/decode_attention

enable subgroups;

override LANES: u32 = 8;

struct Params {
  rowBase: u32,
  countIndex: u32,
  // Whether the rows are embedded first
  embedded: u32,
  // How many of the matrices below are done
  matrices: u32,
  // Rows that a part of `activations` has room for
  capacity: u32,
  dim4: u32,
  ff4: u32,
  logits4: u32,
  // Where in the parameters embedding, norms and matrices start, in vec4f; smear may be NONE
  embedOffset4: u32,
  smearOffset4: u32,
  attnNormOffset4: u32,
  projectionOffset4: u32,
  outputOffset4: u32,
  ffNormOffset4: u32,
  gateOffset4: u32,
  downOffset4: u32,
  normOffset4: u32,
  epsilon: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [rows] token, previous token (NONE at position 0), position, first cache row of the sequence
@group(0) @binding(2) var<storage, read> rows: array<vec4u>;
// [rows, 4 logits4]
@group(0) @binding(5) var<storage, read_write> logits: array<vec4f>;

// Parts of `activations`: [capacity, dim] residual stream, the same after attention, what is multiplied next;
// [capacity, ff] what the gate lets through; [capacity, (heads + 2 kvHeads) headDim] queries, keys and values
const STREAM = 0u;
const MIDDLE = 1u;
const INPUT = 2u;
const ACTIVATED = 3u;
const PROJECTED = 4u;

// The matrices, in the order in which they are done.
const PROJECTION = 0u;
const OUTPUT = 1u;
const GATE = 2u;
const DOWN = 3u;
const LOGITS = 4u;

fn place(part: u32, row: u32, width4: u32) -> u32 {
  let before = min(part, ACTIVATED) * params.dim4 + select(0u, params.ff4, part == PROJECTED);
  return params.capacity * before + row * width4;
}

// Stores what one row and one tile of a matrix give; a gate lets the second half through.
fn store(matrix: u32, row: u32, tile: u32, width4: u32, sums: array<vec4f, 8>) {
  let columns = select(8u, 4u, matrix == GATE);
  for (var i = 0u; i < columns; i++) {
    let column = columns * tile + i;
    if (column < width4) {
      if (matrix == LOGITS) {
        logits[row * width4 + column] = sums[i];
      } else if (matrix == PROJECTION) {
        activations[place(PROJECTED, row, width4) + column] = sums[i];
      } else if (matrix == GATE) {
        activations[place(ACTIVATED, row, width4) + column] = sums[i] / (1.0 + exp(-sums[i])) * sums[i + 4u];
      } else {
        let residual = activations[place(select(MIDDLE, STREAM, matrix == OUTPUT), row, width4) + column];
        activations[place(select(STREAM, MIDDLE, matrix == OUTPUT), row, width4) + column] = residual + sums[i];
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
    attend_row(description.z, description.w, projected, place(INPUT, row, dim4), dim4 / HEADS);
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
  if (4u * LANES * group.x >= count) {
    return;
  }
  let row = 4u * id.x;
  let dim4 = params.dim4;
  let own_rows = lane_rows(dim4);
  for (var matrix = PROJECTION; matrix < params.matrices; matrix++) {
    var scale = vec4f();
    for (var i = 0u; i < own_rows; i++) {
      scale[i] = prepare(matrix, row + i, row + i < count);
    }
    let gated = matrix == GATE;
    let in4 = select(dim4, params.ff4, matrix == DOWN);
    let width4 = array((HEADS + 2u * KV_HEADS) * HEAD_DIM4, dim4, params.ff4, dim4, params.logits4)[matrix];
    let weights = array(
      params.projectionOffset4, params.outputOffset4, params.gateOffset4, params.downOffset4, params.embedOffset4,
    )[matrix];
    let input = place(select(INPUT, ACTIVATED, matrix == DOWN), row, in4);
    // The second 16 rows of a tile's weights follow the first, those of a gate are in the matrix behind it.
    let high = select(16u, 4u * params.ff4, gated) * in4;
    let columns = select(8u, 4u, gated);
    for (var tile = 0u; columns * tile < width4; tile++) {
      let start = weights + 4u * columns * tile * in4;
      let sums = products(lane, input, in4, start, start + high);
      for (var i = 0u; i < own_rows; i++) {
        store(matrix, row + i, tile, width4, row_of(sums, i, scale[i]));
      }
    }
  }
}
