// Part of kernels for software renderers, to which a load costs as much as many products: each of 8 lanes loads other rows
// of the weights and shows them to the others, and what is loaded is used for 4 rows of inputs and 32 of weights.

enable subgroups;

// Sums of 4 rows, a vec4f for four columns.
struct Sums {
  a: array<vec4f, 8>,
  b: array<vec4f, 8>,
  c: array<vec4f, 8>,
  d: array<vec4f, 8>,
}

// Four inputs of each of 4 rows times four of each of 32 rows of weights, `own` being this lane's, in steps of 8. All
// lanes must get here together.
fn add_products(sums: ptr<function, Sums>, x: array<vec4f, 4>, own: array<vec4f, 4>) {
  for (var i = 0u; i < 8u; i++) {
    let first = 4u * (i % 2u);
    let w0 = subgroupShuffle(own[i / 2u], first);
    let w1 = subgroupShuffle(own[i / 2u], first + 1u);
    let w2 = subgroupShuffle(own[i / 2u], first + 2u);
    let w3 = subgroupShuffle(own[i / 2u], first + 3u);
    (*sums).a[i] += vec4f(dot(x[0], w0), dot(x[0], w1), dot(x[0], w2), dot(x[0], w3));
    (*sums).b[i] += vec4f(dot(x[1], w0), dot(x[1], w1), dot(x[1], w2), dot(x[1], w3));
    (*sums).c[i] += vec4f(dot(x[2], w0), dot(x[2], w1), dot(x[2], w2), dot(x[2], w3));
    (*sums).d[i] += vec4f(dot(x[3], w0), dot(x[3], w1), dot(x[3], w2), dot(x[3], w3));
  }
}

// The sums of one row, scaled.
fn row_of(sums: Sums, row: u32, scale: f32) -> array<vec4f, 8> {
  var own: array<vec4f, 8>;
  for (var i = 0u; i < 8u; i++) {
    let even = select(sums.a[i], sums.c[i], row == 2u);
    own[i] = scale * select(even, select(sums.b[i], sums.d[i], row == 3u), row % 2u == 1u);
  }
  return own;
}

// Rows of a lane, 4. Not a constant, so that nobody unrolls the loops over them: it takes some compilers seconds. No width
// is 0.
fn lane_rows(width4: u32) -> u32 {
  return select(4u, 0u, width4 == 0u);
}
