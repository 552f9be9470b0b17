// partial[chunk][i] = sum over the chunk's rows of hiddenGradient * embed[previous token].

struct Params {
  rowBase: u32,
  countIndex: u32,
  chunks: u32,
  dim4: u32,
  embedOffset4: u32,
  smearOffset4: u32,
  partialStride4: u32,
}

const NONE = 0xffffffffu;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> rows: array<vec4u>;
@group(0) @binding(3) var<storage, read> parameters: array<vec4f>;
@group(0) @binding(4) var<storage, read> hiddenGradient: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> partial: array<vec4f>;

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
  for (var row = first; row < last; row++) {
    let previous = rows[params.rowBase + row].y;
    if (previous != NONE) {
      sum += hiddenGradient[row * params.dim4 + id.x] * parameters[params.embedOffset4 + previous * params.dim4 + id.x];
    }
  }
  partial[id.y * params.partialStride4 + params.smearOffset4 + id.x] = sum;
}
