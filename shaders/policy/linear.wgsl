// output[row, o] = sum over k of input[row, k] * weight[o, k] (+ residual[row, o]).
// One invocation computes 4 rows x 8 outputs as dot products of rows. The addresses of the weights are the same for the
// workgroup. Outputs up to the next multiple of 8 are written; the strides of the caller reserve space for them.
// With NORM the kernel RMS-normalises the input, with GATE it applies SwiGLU to the outputs. Generation stores no
// activations, so it requires no separate passes.
// with policy/linear_arguments

// `scale`: factor of the norm. With GATE, the low columns are gates of the high columns.
fn store(row: u32, group: u32, scale: f32, low: vec4f, high: vec4f) {
  if (GATE) {
    let gate = scale * low;
    output[row * params.outStride4 + group] = gate / (1.0 + exp(-gate)) * (scale * high);
    return;
  }
  let at = row * params.outStride4 + 2u * group;
  if (ADD_RESIDUAL) {
    output[at] = residual[at] + scale * low;
    output[at + 1u] = residual[at + 1u] + scale * high;
  } else {
    output[at] = scale * low;
    output[at + 1u] = scale * high;
  }
}

fn products(x: vec4f, w0: vec4f, w1: vec4f, w2: vec4f, w3: vec4f) -> vec4f {
  return vec4f(dot(x, w0), dot(x, w1), dot(x, w2), dot(x, w3));
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u) {
  let row = 4u * id.x;
  if (row >= counts[params.countIndex]) {
    return;
  }
  let in4 = params.in4;
  let low = params.weightOffset4 + params.groupRows * group.y * in4;
  let high = low + params.highOffset4;
  let inputStart = row * in4;
  // Low (a) and high (b) four outputs of rows 0 to 3.
  var a0 = vec4f(); var a1 = vec4f(); var a2 = vec4f(); var a3 = vec4f();
  var b0 = vec4f(); var b1 = vec4f(); var b2 = vec4f(); var b3 = vec4f();
  var squares = vec4f();
  for (var k = 0u; k < in4; k++) {
    var x0 = input[inputStart + k];
    var x1 = input[inputStart + in4 + k];
    var x2 = input[inputStart + 2u * in4 + k];
    var x3 = input[inputStart + 3u * in4 + k];
    if (NORM) {
      let weight = parameters[params.normOffset4 + k];
      squares += vec4f(dot(x0, x0), dot(x1, x1), dot(x2, x2), dot(x3, x3));
      x0 *= weight; x1 *= weight; x2 *= weight; x3 *= weight;
    }
    let w0 = parameters[low + k];
    let w1 = parameters[low + in4 + k];
    let w2 = parameters[low + 2u * in4 + k];
    let w3 = parameters[low + 3u * in4 + k];
    a0 += products(x0, w0, w1, w2, w3);
    a1 += products(x1, w0, w1, w2, w3);
    a2 += products(x2, w0, w1, w2, w3);
    a3 += products(x3, w0, w1, w2, w3);
    let w4 = parameters[high + k];
    let w5 = parameters[high + in4 + k];
    let w6 = parameters[high + 2u * in4 + k];
    let w7 = parameters[high + 3u * in4 + k];
    b0 += products(x0, w4, w5, w6, w7);
    b1 += products(x1, w4, w5, w6, w7);
    b2 += products(x2, w4, w5, w6, w7);
    b3 += products(x3, w4, w5, w6, w7);
  }
  var scale = vec4f(1.0);
  if (NORM) {
    scale = 1.0 / sqrt(squares / f32(4u * in4) + params.epsilon);
  }
  store(row, group.y, scale.x, a0, b0);
  store(row + 1u, group.y, scale.y, a1, b1);
  store(row + 2u, group.y, scale.z, a2, b2);
  store(row + 3u, group.y, scale.w, a3, b3);
}
