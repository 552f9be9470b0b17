// advantage[i] = sum weight[j] advantage[j] over the turns j that continue turn i, for the turns i of one level. LANES
// invocations per response group of continuations: 1 for groups of up to SERIAL turns, 64 for larger groups. The
// reduction has a fixed order. Levels run sequentially, leaves first.
// with shared/reduce

override LANES: u32;
override SERIAL: u32;
const WIDTH = 64u;

struct Params {
  count: u32,
  level: u32,
  first: u32, // index of the first response group that continues a turn of the level
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> childOffset: array<u32>; // [response groups + 1]
@group(0) @binding(2) var<storage, read> child: array<u32>; // turns of each response group
@group(0) @binding(3) var<storage, read> parent: array<u32>; // [response groups]
@group(0) @binding(4) var<storage, read> weight: array<f32>; // [turns]
@group(0) @binding(5) var<storage, read_write> advantage: array<f32>; // [turns]

@compute @workgroup_size(WIDTH)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let index = (workgroup.x + workgroup.y * grid.x) * (WIDTH / LANES) + select(0u, invocation, LANES == 1u);
  let lane = select(invocation, 0u, LANES == 1u);
  let inside = index < params.count;
  let group = params.first + min(index, params.count - 1u);
  var start = childOffset[group];
  let end = childOffset[group + 1u];
  // Response groups of the other variant have an empty range, because every lane must reach every barrier.
  let isComputed = inside && ((end - start <= SERIAL) == (LANES == 1u));
  if (!isComputed) {
    start = end;
  }
  var sum = 0.0;
  for (var at = start + lane; at < end; at += LANES) {
    sum += weight[child[at]] * advantage[child[at]];
  }
  sum = reduce(lane, LANES, vec4f(sum), vec4<bool>(true)).x;
  if (isComputed && lane == 0u) {
    advantage[parent[group]] = sum;
  }
}
