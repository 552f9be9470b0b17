// normed[row] = input[row] / rms(input[row]) * weight (Zhang and Sennrich 2019). One invocation per row.

struct Params {
  countIndex: u32,
  dim4: u32,
  weightOffset4: u32,
  epsilon: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> parameters: array<vec4f>;
@group(0) @binding(3) var<storage, read> input: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> normed: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= counts[params.countIndex]) {
    return;
  }
  let start = id.x * params.dim4;
  var sum = 0.0;
  for (var i = 0u; i < params.dim4; i++) {
    let x = input[start + i];
    sum += dot(x, x);
  }
  let scale = 1.0 / sqrt(sum / f32(4u * params.dim4) + params.epsilon);
  for (var i = 0u; i < params.dim4; i++) {
    normed[start + i] = input[start + i] * scale * parameters[params.weightOffset4 + i];
  }
}
