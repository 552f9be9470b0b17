// Backs up the turns i of one level that have retained children j. backedUp[i], initially the reward of turn i, becomes
//   max(backedUp[i], max backedUp[j]), or with `mean` (backedUp[i] + gamma * mean backedUp[j]) / Z,
//   Z = S - s + 1 for turn number s, or 2 with `components`. With `mean`, magnitude[i] is computed in the same way.
// LANES invocations per response group of children: 1 for groups of up to SERIAL turns, 64 for larger groups.
// The reduction has a fixed order. Levels run sequentially, leaves first.
// with shared/reduce

override LANES: u32;
override SERIAL: u32;
const WIDTH = 64u;
const LOWEST = -3.4028234663852886e38;

struct Params {
  count: u32,
  level: u32, // level of the turns i, from 0: s - 1
  first: u32, // index of the first response group of their children
  mean: u32,
  gamma: f32,
  components: u32,
  maxTurns: u32, // S; 0: the deepest turn of the group
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> childOffset: array<u32>; // [response groups + 1]
@group(0) @binding(2) var<storage, read> child: array<u32>; // turns of each response group
@group(0) @binding(3) var<storage, read> parent: array<u32>; // [response groups]
@group(0) @binding(4) var<storage, read> deepest: array<u32>; // [response groups]
@group(0) @binding(5) var<storage, read> retained: array<u32>; // [turns]
@group(0) @binding(6) var<storage, read_write> backedUp: array<f32>; // [turns]
@group(0) @binding(7) var<storage, read_write> magnitude: array<f32>; // [turns]

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
  if (!inside || ((end - start <= SERIAL) != (LANES == 1u))) {
    start = end;
  }
  var partial = vec4f(0.0, 0.0, 0.0, LOWEST);
  for (var at = start + lane; at < end; at += LANES) {
    let j = child[at];
    if (retained[j] != 0u) {
      partial = vec4f(partial.xyz + vec3f(backedUp[j], magnitude[j], 1.0), max(partial.w, backedUp[j]));
    }
  }
  // Sums of x, y and z, and the largest w.
  let below = reduce(lane, LANES, partial, vec4<bool>(true, true, true, false));
  if (lane != 0u || below.z == 0.0) {
    return;
  }
  let i = parent[group];
  if (params.mean == 0u) {
    backedUp[i] = max(backedUp[i], below.w);
    return;
  }
  let S = select(params.maxTurns, deepest[group], params.maxTurns == 0u);
  let Z = select(f32(S - params.level), 2.0, params.components == 1u);
  backedUp[i] = (backedUp[i] + params.gamma * (below.x / below.z)) / Z;
  magnitude[i] = (magnitude[i] + params.gamma * (below.y / below.z)) / Z;
}
