// normed[i] = input[row] / rms(input[row]) * weight (Zhang and Sennrich 2019); one invocation a row.
// With GATHER the rows come from a list of targets, so that the head works on those rows only.

override GATHER: bool = false;

struct Params {
  countBase: u32,
  countIndex: u32,
  dim4: u32,
  weightOffset4: u32,
  epsilon: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [targets] row, token, slot, turn; read with GATHER only
@group(0) @binding(2) var<storage, read> targets: array<vec4u>;
@group(0) @binding(3) var<storage, read> parameters: array<vec4f>;
@group(0) @binding(4) var<storage, read> input: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> normed: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let index = id.x;
  if (index >= counts[params.countIndex]) {
    return;
  }
  var row = index;
  if (GATHER) {
    row = targets[params.countBase + index].x;
  }
  let start = row * params.dim4;
  var sum = 0.0;
  for (var i = 0u; i < params.dim4; i++) {
    let x = input[start + i];
    sum += dot(x, x);
  }
  let scale = 1.0 / sqrt(sum / f32(4u * params.dim4) + params.epsilon);
  for (var i = 0u; i < params.dim4; i++) {
    normed[index * params.dim4 + i] = input[start + i] * scale * parameters[params.weightOffset4 + i];
  }
}
