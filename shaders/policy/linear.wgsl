// output[row, o] = sum over k of input[row, k] * weight[o, k] (+ residual[row, o]).
// One invocation computes 4 rows x 8 outputs as dot products of rows; the weights' addresses are the same for a whole
// workgroup. Outputs up to the next multiple of 8 are written; the caller's strides leave room for them.

override ADD_RESIDUAL: bool = false;

struct Params {
  countIndex: u32,
  in4: u32,
  outStride4: u32,
  weightOffset4: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> parameters: array<vec4f>;
@group(0) @binding(3) var<storage, read> input: array<vec4f>;
@group(0) @binding(4) var<storage, read> residual: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> output: array<vec4f>;

fn store(row: u32, column4: u32, low: vec4f, high: vec4f) {
  let at = row * params.outStride4 + column4;
  if (ADD_RESIDUAL) {
    output[at] = residual[at] + low;
    output[at + 1u] = residual[at + 1u] + high;
  } else {
    output[at] = low;
    output[at + 1u] = high;
  }
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u) {
  let row = 4u * id.x;
  if (row >= counts[params.countIndex]) {
    return;
  }
  let in4 = params.in4;
  let weightStart = params.weightOffset4 + 8u * group.y * in4;
  let inputStart = row * in4;
  // low and high four outputs of rows 0 to 3
  var a0 = vec4f(); var a1 = vec4f(); var a2 = vec4f(); var a3 = vec4f();
  var b0 = vec4f(); var b1 = vec4f(); var b2 = vec4f(); var b3 = vec4f();
  for (var k = 0u; k < in4; k++) {
    let x0 = input[inputStart + k];
    let x1 = input[inputStart + in4 + k];
    let x2 = input[inputStart + 2u * in4 + k];
    let x3 = input[inputStart + 3u * in4 + k];
    let w0 = parameters[weightStart + k];
    let w1 = parameters[weightStart + in4 + k];
    let w2 = parameters[weightStart + 2u * in4 + k];
    let w3 = parameters[weightStart + 3u * in4 + k];
    a0 += vec4f(dot(x0, w0), dot(x0, w1), dot(x0, w2), dot(x0, w3));
    a1 += vec4f(dot(x1, w0), dot(x1, w1), dot(x1, w2), dot(x1, w3));
    a2 += vec4f(dot(x2, w0), dot(x2, w1), dot(x2, w2), dot(x2, w3));
    a3 += vec4f(dot(x3, w0), dot(x3, w1), dot(x3, w2), dot(x3, w3));
    let w4 = parameters[weightStart + 4u * in4 + k];
    let w5 = parameters[weightStart + 5u * in4 + k];
    let w6 = parameters[weightStart + 6u * in4 + k];
    let w7 = parameters[weightStart + 7u * in4 + k];
    b0 += vec4f(dot(x0, w4), dot(x0, w5), dot(x0, w6), dot(x0, w7));
    b1 += vec4f(dot(x1, w4), dot(x1, w5), dot(x1, w6), dot(x1, w7));
    b2 += vec4f(dot(x2, w4), dot(x2, w5), dot(x2, w6), dot(x2, w7));
    b3 += vec4f(dot(x3, w4), dot(x3, w5), dot(x3, w6), dot(x3, w7));
  }
  let column4 = 2u * group.y;
  store(row, column4, a0, b0);
  store(row + 1u, column4, a1, b1);
  store(row + 2u, column4, a2, b2);
  store(row + 3u, column4, a3, b3);
}
