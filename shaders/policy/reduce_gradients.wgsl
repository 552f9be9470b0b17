// gradient[i] = sum over chunks of partial[chunk][i], in order. Each workgroup also sums its squares for the norm.
// with shared/lane_order

override LANES: u32 = 64;

struct Params {
  parameters4: u32,
  chunks: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> partial: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> gradient: array<vec4f>;
// [workgroups]
@group(0) @binding(3) var<storage, read_write> squares: array<f32>;

@compute @workgroup_size(LANES)
fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  var sum = vec4f();
  if (id.x < params.parameters4) {
    for (var chunk = 0u; chunk < params.chunks; chunk++) {
      sum += partial[chunk * params.parameters4 + id.x];
    }
    gradient[id.x] = sum;
  }
  let total = sumForFirst(lane, LANES, vec4f(dot(sum, sum), 0.0, 0.0, 0.0)).x;
  if (lane == 0u) {
    squares[group.x] = total;
  }
}
