// retained[t] = 1 if every active pruning retains turn t, its response group and the turns that it continues. Below the
// last level that a pruning can limit, a turn has the result of its ancestor on this level. A dropped turn has
// advantage 0, so it has no effect on the loss. One invocation per turn.

struct Params {
  count: u32,
  intra: u32, // 1 if the pruning is active
  inter: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> anchor: array<u32>; // [turns] turn itself, or its ancestor on that level
@group(0) @binding(2) var<storage, read> responseGroup: array<u32>; // [turns]
@group(0) @binding(3) var<storage, read> retainedTurn: array<u32>; // [turns]
@group(0) @binding(4) var<storage, read> retainedGroup: array<u32>; // [response groups]
@group(0) @binding(5) var<storage, read_write> retained: array<u32>;
@group(0) @binding(6) var<storage, read_write> advantage: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let turn = id.x + id.y * grid.x * 64u;
  if (turn >= params.count) {
    return;
  }
  let at = anchor[turn];
  let intra = params.intra == 0u || retainedTurn[at] != 0u;
  let inter = params.inter == 0u || retainedGroup[responseGroup[at]] != 0u;
  retained[turn] = u32(intra && inter);
  if (!(intra && inter)) {
    advantage[turn] = 0.0;
  }
}
