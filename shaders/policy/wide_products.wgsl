// Part of kernels for software renderers, for which one load costs as much as many multiply-adds: each of SHARING_LANES
// lanes loads other rows of the weights and shows them to the others, and what is loaded is used for all rows of inputs
// and weights of a tile.

enable subgroups;

// Rows of inputs that a lane works on. They are next to each other; a workgroup has ROWS_PER_LANE * LANES of them.
const ROWS_PER_LANE = 4u;
// Rows of weights of a tile, which are the columns of its results; and how many vec4f such a row of results has.
const TILE_COLUMNS = 32u;
const TILE_COLUMNS4 = TILE_COLUMNS / 4u;
// Lanes that load for each other: as many rows of the weights at a time. The smallest subgroup has so many.
const SHARING_LANES = 8u;
const SHARED_COLUMNS4 = SHARING_LANES / 4u;
// Rows of the weights that a lane loads for a tile, in steps of SHARING_LANES.
const LOADS = TILE_COLUMNS / SHARING_LANES;

// Sums of the rows of a lane, a vec4f for four columns.
struct Sums {
  a: array<vec4f, TILE_COLUMNS4>,
  b: array<vec4f, TILE_COLUMNS4>,
  c: array<vec4f, TILE_COLUMNS4>,
  d: array<vec4f, TILE_COLUMNS4>,
}

// Four inputs of each row times four of each row of the weights, `own` being this lane's rows of the weights. All lanes
// must get here together.
fn addProducts(sums: ptr<function, Sums>, x: array<vec4f, ROWS_PER_LANE>, own: array<vec4f, LOADS>) {
  for (var i = 0u; i < TILE_COLUMNS4; i++) {
    let load = i / SHARED_COLUMNS4;
    let first = 4u * (i % SHARED_COLUMNS4);
    let w0 = subgroupShuffle(own[load], first);
    let w1 = subgroupShuffle(own[load], first + 1u);
    let w2 = subgroupShuffle(own[load], first + 2u);
    let w3 = subgroupShuffle(own[load], first + 3u);
    (*sums).a[i] += vec4f(dot(x[0], w0), dot(x[0], w1), dot(x[0], w2), dot(x[0], w3));
    (*sums).b[i] += vec4f(dot(x[1], w0), dot(x[1], w1), dot(x[1], w2), dot(x[1], w3));
    (*sums).c[i] += vec4f(dot(x[2], w0), dot(x[2], w1), dot(x[2], w2), dot(x[2], w3));
    (*sums).d[i] += vec4f(dot(x[3], w0), dot(x[3], w1), dot(x[3], w2), dot(x[3], w3));
  }
}

// The sums of one row, scaled.
fn rowOf(sums: Sums, row: u32, scale: f32) -> array<vec4f, TILE_COLUMNS4> {
  var own: array<vec4f, TILE_COLUMNS4>;
  for (var i = 0u; i < TILE_COLUMNS4; i++) {
    let even = select(sums.a[i], sums.c[i], row == 2u);
    own[i] = scale * select(even, select(sums.b[i], sums.d[i], row == 3u), row % 2u == 1u);
  }
  return own;
}

// Rows of a lane. Not a constant, so that nobody unrolls the loops over them: it takes some compilers seconds. No width
// is 0.
fn laneRows(width4: u32) -> u32 {
  return select(ROWS_PER_LANE, 0u, width4 == 0u);
}
