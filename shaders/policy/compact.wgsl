// Keeps the sequences that still have tokens left in this turn, in order, and describes their next rows.
// One workgroup: every lane counts a run of neighbouring slots, then adds up the lanes before it.

override LANES: u32 = 256;

struct Params {
  countIndex: u32,
  nextCountIndex: u32,
  context: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
// [active] sequence, position, tokens left, rollout
@group(0) @binding(2) var<storage, read> slots: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> nextSlots: array<vec4u>;
@group(0) @binding(4) var<storage, read> tokens: array<u32>;
@group(0) @binding(5) var<storage, read_write> rows: array<vec4u>;

const MAX_LANES = 256u;
var<workgroup> kept: array<u32, MAX_LANES>;

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
  let count = counts[params.countIndex];
  let run = (count + LANES - 1u) / LANES;
  let first = min(lane * run, count);
  let last = min(first + run, count);
  var own = 0u;
  for (var i = first; i < last; i++) {
    own += select(0u, 1u, slots[i].z > 0u);
  }
  kept[lane] = own;
  workgroupBarrier();
  var goal = 0u;
  for (var i = 0u; i < lane; i++) {
    goal += kept[i];
  }
  if (lane == LANES - 1u) {
    counts[params.nextCountIndex] = goal + own;
  }
  for (var i = first; i < last; i++) {
    let slot = slots[i];
    if (slot.z > 0u) {
      let start = slot.x * params.context;
      let position = slot.y - 1u;
      nextSlots[goal] = slot;
      rows[goal] = vec4u(tokens[start + position], tokens[start + position - 1u], position, start);
      goal++;
    }
  }
}
