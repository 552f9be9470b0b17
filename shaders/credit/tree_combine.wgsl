// MT-GRPO over a tree. advantage[t] = A^O for a last turn, else A^I_t + alpha mean advantage of the turns that continue
// t. With `lastCompared`, a last turn also has A^I. One invocation per turn of a level; levels run sequentially, leaves
// first.

struct Params {
  count: u32,
  level: u32,
  first: u32, // start of the level in levelTurn
  alpha: f32,
  lastCompared: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> levelTurn: array<u32>; // turns of each level
@group(0) @binding(2) var<storage, read> childOffset: array<u32>; // [turns + 1]
@group(0) @binding(3) var<storage, read> child: array<u32>; // turns that continue each turn
@group(0) @binding(4) var<storage, read> turnAdvantage: array<f32>; // A^I [turns]; of last turns only with lastCompared
@group(0) @binding(5) var<storage, read> outcomeAdvantage: array<f32>; // A^O [turns], of last turns
@group(0) @binding(6) var<storage, read_write> advantage: array<f32>; // [turns]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let i = id.x + id.y * grid.x * 64u;
  if (i >= params.count) {
    return;
  }
  let turn = levelTurn[params.first + i];
  let start = childOffset[turn];
  let end = childOffset[turn + 1u];
  if (start == end) {
    var credit = outcomeAdvantage[turn];
    if (params.lastCompared == 1u) {
      credit += turnAdvantage[turn];
    }
    advantage[turn] = credit;
    return;
  }
  var sum = 0.0;
  for (var at = start; at < end; at++) {
    sum += advantage[child[at]];
  }
  advantage[turn] = turnAdvantage[turn] + params.alpha * (sum / f32(end - start));
}
