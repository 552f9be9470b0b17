// Part of decode_layer.wgsl: what reads the parameters. Rows, inputs and weights are places in vec4f.
// with policy/decode_arguments
// with policy/wide_products

// Multiplies the rows of a lane with half a tile of rows of the weights, and the other half that starts at `high`.
fn products(lane: u32, input: u32, in4: u32, weights: u32, high: u32) -> Sums {
  let own = (lane % SHARING_LANES) * in4;
  let next = own + SHARING_LANES * in4;
  var sums = Sums();
  for (var k = 0u; k < in4; k++) {
    let x = array(
      activations[input + k], activations[input + in4 + k],
      activations[input + 2u * in4 + k], activations[input + 3u * in4 + k],
    );
    let loaded = array(
      parameters[weights + own + k], parameters[weights + next + k],
      parameters[high + own + k], parameters[high + next + k],
    );
    addProducts(&sums, x, loaded);
  }
  return sums;
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
