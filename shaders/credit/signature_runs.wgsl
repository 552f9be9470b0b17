// Runs of turns with the same state (with byAction also the same action) among the sorted turns of each group.
// runOffset[p] is the first position at or after p at which a run starts. The run that starts at p is
// p .. runOffset[p + 1] - 1, and positions inside a run have an empty run. One invocation per position. It searches the
// end of the run with steps that double, then by bisection, so the cost is logarithmic in the length of the run.

struct Params {
  count: u32,
  byAction: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> groupOf: array<u32>; // [turns]
@group(0) @binding(2) var<storage, read> state: array<vec2u>; // [turns]
@group(0) @binding(3) var<storage, read> action: array<vec2u>; // [turns]
@group(0) @binding(4) var<storage, read> order: array<u32>; // [turns] sorted, group by group
@group(0) @binding(5) var<storage, read_write> runOffset: array<u32>; // [turns + 1]

fn sameSignature(p: u32, q: u32) -> bool {
  let a = order[p];
  let b = order[q];
  if (groupOf[a] != groupOf[b] || any(state[a] != state[b])) {
    return false;
  }
  return params.byAction == 0u || all(action[a] == action[b]);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let p = id.x + id.y * grid.x * 64u;
  if (p >= params.count) {
    return;
  }
  if (p == 0u) {
    runOffset[params.count] = params.count;
  }
  if (p == 0u || !sameSignature(p - 1u, p)) {
    runOffset[p] = p;
    return;
  }
  var step = 1u;
  while (p + step < params.count && sameSignature(p, p + step)) {
    step *= 2u;
  }
  var low = p + step / 2u + 1u; // all positions up to p + step / 2 have the same signature
  var high = min(p + step, params.count);
  while (low < high) {
    let probe = (low + high) / 2u;
    if (sameSignature(p, probe)) {
      low = probe + 1u;
    } else {
      high = probe;
    }
  }
  runOffset[p] = low;
}
