// Part of decode_layer.wgsl: what reads the parameters. An invocation has 4 rows next to each other; rows, inputs and
// weights are places in vec4f.

enable subgroups;

@group(0) @binding(3) var<storage, read> parameters: array<vec4f>;
// What decode_layer.wgsl keeps from matrix to matrix
@group(0) @binding(4) var<storage, read_write> activations: array<vec4f>;

// Products of 4 rows with 32 rows of the weights: a load costs as much as many products, and so many share the inputs'.
struct Sums {
  a: array<vec4f, 8>,
  b: array<vec4f, 8>,
  c: array<vec4f, 8>,
  d: array<vec4f, 8>,
}

// Multiplies 4 rows of inputs with 16 rows of the weights and the 16 that start at `high`. Each of 8 lanes loads
// other rows of the weights and shows them to the others: all lanes must get here together.
fn products(lane: u32, input: u32, in4: u32, weights: u32, high: u32) -> Sums {
  let own_row = (lane & 7u) * in4;
  var sums = Sums();
  for (var k = 0u; k < in4; k++) {
    let x0 = activations[input + k];
    let x1 = activations[input + in4 + k];
    let x2 = activations[input + 2u * in4 + k];
    let x3 = activations[input + 3u * in4 + k];
    let own_rows = array(
      parameters[weights + own_row + k], parameters[weights + own_row + 8u * in4 + k],
      parameters[high + own_row + k], parameters[high + own_row + 8u * in4 + k],
    );
    for (var i = 0u; i < 8u; i++) {
      let own = own_rows[i / 2u];
      let first = 4u * (i % 2u);
      let w0 = subgroupShuffle(own, first);
      let w1 = subgroupShuffle(own, first + 1u);
      let w2 = subgroupShuffle(own, first + 2u);
      let w3 = subgroupShuffle(own, first + 3u);
      sums.a[i] += vec4f(dot(x0, w0), dot(x0, w1), dot(x0, w2), dot(x0, w3));
      sums.b[i] += vec4f(dot(x1, w0), dot(x1, w1), dot(x1, w2), dot(x1, w3));
      sums.c[i] += vec4f(dot(x2, w0), dot(x2, w1), dot(x2, w2), dot(x2, w3));
      sums.d[i] += vec4f(dot(x3, w0), dot(x3, w1), dot(x3, w2), dot(x3, w3));
    }
  }
  return sums;
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

// Multiplies a row by the norm's weight; returns the scale, which the matrix product is multiplied by.
fn normalise(row: u32, goal: u32, width4: u32, weight: u32, epsilon: f32) -> f32 {
  var squares = 0.0;
  for (var i = 0u; i < width4; i++) {
    let x = activations[row + i];
    squares += dot(x, x);
    activations[goal + i] = x * parameters[weight + i];
  }
  return 1.0 / sqrt(squares / f32(4u * width4) + epsilon);
}

const NONE = 0xffffffffu;

// embed.wgsl for one row. The first position has no previous token (NONE), and some policies no smear (NONE).
fn embed(goal: u32, width4: u32, token: u32, previous: u32, table: u32, smear: u32) {
  for (var i = 0u; i < width4; i++) {
    var value = parameters[table + token * width4 + i];
    if (previous != NONE && smear != NONE) {
      value += parameters[smear + i] * parameters[table + previous * width4 + i];
    }
    activations[goal + i] = value;
  }
}
