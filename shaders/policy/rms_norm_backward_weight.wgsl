// partial[chunk][i] = sum over the chunk's rows of dy x / rms(x). One invocation sums four columns of one chunk.

struct Params {
  countIndex: u32,
  chunks: u32,
  dim4: u32,
  weightOffset4: u32,
  partialStride4: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> input: array<vec4f>;
@group(0) @binding(3) var<storage, read> normedGradient: array<vec4f>;
@group(0) @binding(4) var<storage, read> scales: array<f32>;
@group(0) @binding(5) var<storage, read_write> partial: array<vec4f>;

@compute @workgroup_size(16, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= params.dim4 || id.y >= params.chunks) {
    return;
  }
  let rows = counts[params.countIndex];
  let run = (rows + params.chunks - 1u) / params.chunks;
  let first = min(id.y * run, rows);
  let last = min(first + run, rows);
  var sum = vec4f();
  for (var row = first; row < last; row++) {
    let at = row * params.dim4 + id.x;
    sum += normedGradient[at] * input[at] * scales[row];
  }
  partial[id.y * params.partialStride4 + params.weightOffset4 + id.x] = sum;
}
