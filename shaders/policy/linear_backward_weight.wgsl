// partial[chunk][o, k] = sum over the chunk's rows of outputGradient[row, o] * input[row, k].
// One invocation computes 8 outputs x 8 inputs; reduce_gradients adds the chunks of rows in order.
// with policy/linear_backward_weight_arguments

@group(0) @binding(3) var<storage, read> input: array<vec4f>;
// [chunks, parameters]
@group(0) @binding(4) var<storage, read_write> partial: array<vec4f>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let in8 = params.in4 / 2u;
  let out8 = (params.outRows + 7u) / 8u;
  if (id.x >= in8 || id.y >= out8) {
    return;
  }
  let rows = counts[params.countIndex];
  let run = (rows + params.chunks - 1u) / params.chunks;
  let first = min(id.z * run, rows);
  let last = min(first + run, rows);
  var low: array<vec4f, 8>;
  var high: array<vec4f, 8>;
  for (var row = first; row < last; row++) {
    let x = row * params.in4 + 2u * id.x;
    let y = row * params.outStride4 + 2u * id.y;
    let u = input[x];
    let v = input[x + 1u];
    let p = outputGradient[y];
    let q = outputGradient[y + 1u];
    low[0] += p.x * u; high[0] += p.x * v;
    low[1] += p.y * u; high[1] += p.y * v;
    low[2] += p.z * u; high[2] += p.z * v;
    low[3] += p.w * u; high[3] += p.w * v;
    low[4] += q.x * u; high[4] += q.x * v;
    low[5] += q.y * u; high[5] += q.y * v;
    low[6] += q.z * u; high[6] += q.z * v;
    low[7] += q.w * u; high[7] += q.w * v;
  }
  let goal = id.z * params.partialStride4 + params.weightOffset4 + 2u * id.x;
  for (var i = 0u; i < 8u; i++) {
    let o = 8u * id.y + i;
    if (o < params.outRows) {
      partial[goal + o * params.in4] = low[i];
      partial[goal + o * params.in4 + 1u] = high[i];
    }
  }
}
