// One level of a merge sort of the turns of each group by state, action, trajectory and position. Level l merges sorted
// runs of half the width into sorted runs of the width. The width is the size of the group, rounded up to a power of
// two, / 2^l. Level 0 is the last level and writes the complete group to `order`. One invocation per turn finds its
// position in the merged run: its position in its run, plus the number of turns of the other run that precede it. The
// sort is stable, so trajectory and position are not compared.

struct Params {
  count: u32,
  level: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> groupOffset: array<u32>; // [groups + 1]
@group(0) @binding(2) var<storage, read> groupOf: array<u32>; // [turns]
@group(0) @binding(3) var<storage, read> turn: array<u32>; // turns of each group by trajectory and position
@group(0) @binding(4) var<storage, read> state: array<vec2u>; // [turns] 64 bits, high and low
@group(0) @binding(5) var<storage, read> action: array<vec2u>; // [turns]
@group(0) @binding(6) var<storage, read_write> order: array<u32>; // [turns] written by even levels
@group(0) @binding(7) var<storage, read_write> spare: array<u32>; // [turns] written by odd levels

// Returns the turn at a position of the runs to merge. The previous level wrote them; runs of one turn are the input.
fn turnAt(at: u32, runs: u32) -> u32 {
  if (runs == 1u) {
    return turn[at];
  }
  if (params.level % 2u == 0u) {
    return spare[at];
  }
  return order[at];
}

fn signature(t: u32) -> vec4u {
  return vec4u(state[t], action[t]);
}

fn before(a: vec4u, b: vec4u) -> bool {
  if (a.x != b.x) {
    return a.x < b.x;
  }
  if (a.y != b.y) {
    return a.y < b.y;
  }
  if (a.z != b.z) {
    return a.z < b.z;
  }
  return a.w < b.w;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let at = id.x + id.y * grid.x * 64u;
  if (at >= params.count) {
    return;
  }
  let start = groupOffset[groupOf[at]];
  let size = groupOffset[groupOf[at] + 1u] - start;
  let width = (1u << (32u - countLeadingZeros(size - 1u))) >> params.level;
  if (width < 2u) {
    if (params.level == 0u) {
      order[at] = turn[at]; // a group of one turn
    }
    return;
  }

  let position = at - start;
  let runs = width / 2u;
  let middle = min(position - position % width + runs, size);
  let inFirst = position < middle;
  let movedTurn = turnAt(at, runs);
  let turnSignature = signature(movedTurn);

  // Number of turns of the other run that precede this turn.
  var low = select(middle - runs, middle, inFirst);
  var high = select(middle, min(middle + runs, size), inFirst);
  while (low < high) {
    let probe = (low + high) / 2u;
    let probed = signature(turnAt(start + probe, runs));
    // Equal turns of the first run precede equal turns of the second run.
    if (select(!before(turnSignature, probed), before(probed, turnSignature), inFirst)) {
      low = probe + 1u;
    } else {
      high = probe;
    }
  }
  let merged = start + position + low - middle;
  if (params.level % 2u == 0u) {
    order[merged] = movedTurn;
  } else {
    spare[merged] = movedTurn;
  }
}
