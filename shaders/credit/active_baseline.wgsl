// Subtracts from advantage[m] the mean of the other members of its list: the turns of other rollouts at the same
// position. The baseline of a single member is the mean of all other rollouts of its group. The advantages of the group
// sum to 0 there (exactly with alpha 1), so that mean is -advantage / (rollouts - 1). One invocation per list; sums are
// relative to the first member.

struct Params {
  count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> listOffset: array<u32>; // [lists + 1]
@group(0) @binding(2) var<storage, read> listTurn: array<u32>; // turns of each list
@group(0) @binding(3) var<storage, read> rollouts: array<u32>; // [turns] number of rollouts in the turn's group
@group(0) @binding(4) var<storage, read_write> advantage: array<f32>; // [turns]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let list = id.x + id.y * grid.x * 64u;
  if (list >= params.count) {
    return;
  }
  let start = listOffset[list];
  let end = listOffset[list + 1u];
  let size = f32(end - start);
  let first = advantage[listTurn[start]];
  if (end - start == 1u) {
    let all = f32(rollouts[listTurn[start]]);
    advantage[listTurn[start]] = first * select(1.0, all / (all - 1.0), all > 1.0);
    return;
  }
  var sum = 0.0;
  for (var at = start; at < end; at++) {
    sum += advantage[listTurn[at]] - first;
  }
  for (var at = start; at < end; at++) {
    let turn = listTurn[at];
    advantage[turn] = (size * (advantage[turn] - first) - sum) / (size - 1.0);
  }
}
