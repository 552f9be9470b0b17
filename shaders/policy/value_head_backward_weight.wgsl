// partial[chunk][i] = sum over the chunk's targets of d loss / d value * normed hidden state.

struct Params {
  countIndex: u32,
  chunks: u32,
  dim4: u32,
  weightOffset4: u32,
  partialStride4: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> lossGradient: array<vec4f>;
@group(0) @binding(3) var<storage, read> normed: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> partial: array<vec4f>;

@compute @workgroup_size(16, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= params.dim4 || id.y >= params.chunks) {
    return;
  }
  let count = counts[params.countIndex];
  let run = (count + params.chunks - 1u) / params.chunks;
  let first = min(id.y * run, count);
  let last = min(first + run, count);
  var sum = vec4f();
  for (var index = first; index < last; index++) {
    sum += lossGradient[index].z * normed[index * params.dim4 + id.x];
  }
  partial[id.y * params.partialStride4 + params.weightOffset4 + id.x] = sum;
}
