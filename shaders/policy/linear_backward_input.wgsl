// inputGradient[row, k] = sum over o of outputGradient[row, o] * weight[o, k].
// One invocation computes 4 rows x 8 inputs; the addresses of the weights are the same for the workgroup.
// with policy/linear_backward_input_arguments

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u) {
  let row = 4u * id.x;
  if (row >= counts[params.countIndex]) {
    return;
  }
  let in4 = params.in4;
  let out4 = params.outStride4;
  let start = row * out4;
  let column4 = 2u * group.y;
  var a0 = vec4f(); var a1 = vec4f(); var a2 = vec4f(); var a3 = vec4f();
  var b0 = vec4f(); var b1 = vec4f(); var b2 = vec4f(); var b3 = vec4f();
  for (var o4 = 0u; o4 < out4; o4++) {
    let y0 = outputGradient[start + o4];
    let y1 = outputGradient[start + out4 + o4];
    let y2 = outputGradient[start + 2u * out4 + o4];
    let y3 = outputGradient[start + 3u * out4 + o4];
    var at = params.weightOffset4 + 4u * o4 * in4 + column4;
    let u0 = parameters[at]; let v0 = parameters[at + 1u]; at += in4;
    a0 += y0.x * u0; b0 += y0.x * v0; a1 += y1.x * u0; b1 += y1.x * v0;
    a2 += y2.x * u0; b2 += y2.x * v0; a3 += y3.x * u0; b3 += y3.x * v0;
    let u1 = parameters[at]; let v1 = parameters[at + 1u]; at += in4;
    a0 += y0.y * u1; b0 += y0.y * v1; a1 += y1.y * u1; b1 += y1.y * v1;
    a2 += y2.y * u1; b2 += y2.y * v1; a3 += y3.y * u1; b3 += y3.y * v1;
    let u2 = parameters[at]; let v2 = parameters[at + 1u]; at += in4;
    a0 += y0.z * u2; b0 += y0.z * v2; a1 += y1.z * u2; b1 += y1.z * v2;
    a2 += y2.z * u2; b2 += y2.z * v2; a3 += y3.z * u2; b3 += y3.z * v2;
    let u3 = parameters[at]; let v3 = parameters[at + 1u];
    a0 += y0.w * u3; b0 += y0.w * v3; a1 += y1.w * u3; b1 += y1.w * v3;
    a2 += y2.w * u3; b2 += y2.w * v3; a3 += y3.w * u3; b3 += y3.w * v3;
  }
  let goal = row * in4 + column4;
  inputGradient[goal] = a0;
  inputGradient[goal + 1u] = b0;
  inputGradient[goal + in4] = a1;
  inputGradient[goal + in4 + 1u] = b1;
  inputGradient[goal + 2u * in4] = a2;
  inputGradient[goal + 2u * in4 + 1u] = b2;
  inputGradient[goal + 3u * in4] = a3;
  inputGradient[goal + 3u * in4 + 1u] = b3;
}
