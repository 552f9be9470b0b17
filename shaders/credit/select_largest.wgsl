// retainedFlags[m] = 1 for the `limit` members of each list with the largest scores, else 0; ties go to the earlier
// member. A member is dropped if its `above` was dropped, and does not count towards the limit. Scores are nonnegative
// float64, whose bits have the order of the numbers, so that ties are the same as in float64.
// LANES invocations per list. With 1, for lists of up to SERIAL members, the invocation counts better members. With 64,
// for longer lists, the workgroup finds the score of the last retained member four bits at a time at linear cost.

override LANES: u32;
override SERIAL: u32;
override NO_LIST: u32; // value of `above` for members without an earlier member
const WIDTH = 64u;
const LARGEST = 0xffffffffu;

struct Params {
  count: u32,
  first: u32, // index of the first list
  limit: u32, // number of members that are retained
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> listOffset: array<u32>;
@group(0) @binding(2) var<storage, read> listMember: array<u32>;
@group(0) @binding(3) var<storage, read> score: array<vec2u>; // [members] low and high 32 bits
@group(0) @binding(4) var<storage, read> above: array<u32>; // [members] an earlier member, or NO_LIST
@group(0) @binding(5) var<storage, read_write> retainedFlags: array<u32>; // [members]

var<workgroup> bins: array<atomic<u32>, 16>;
var<workgroup> selected: vec2u; // digit, number of members that remain to be retained

fn candidate(member: u32) -> bool {
  return above[member] == NO_LIST || retainedFlags[above[member]] != 0u;
}

fn better(a: vec2u, b: vec2u) -> bool {
  return a.y > b.y || (a.y == b.y && a.x > b.x);
}

// Selects members with one invocation.
fn selectSerial(start: u32, end: u32) {
  for (var at = start; at < end; at++) {
    let member = listMember[at];
    var rank = 0u;
    for (var rivalAt = start; rivalAt < end; rivalAt++) {
      let rival = listMember[rivalAt];
      let precedes = better(score[rival], score[member]) || (rivalAt < at && !better(score[member], score[rival]));
      rank += u32(precedes && candidate(rival));
    }
    retainedFlags[member] = u32(candidate(member) && rank < params.limit);
  }
}

// Score and position as one number of three 32-bit parts, the highest part first. It is unique in a list.
fn key(at: u32, start: u32) -> vec3u {
  return vec3u(score[listMember[at]].yx, LARGEST - (at - start));
}

fn atLeast(a: vec3u, b: vec3u) -> bool {
  return a.x > b.x || (a.x == b.x && (a.y > b.y || (a.y == b.y && a.z >= b.z)));
}

// True if the parts before `part`, and the bits of this part in `mask`, are equal.
fn prefixEqual(a: vec3u, b: vec3u, part: u32, mask: u32) -> bool {
  return (part < 1u || a.x == b.x) && (part < 2u || a.y == b.y) && ((a[part] ^ b[part]) & mask) == 0u;
}

// Selects members with all invocations of a workgroup.
fn selectParallel(start: u32, end: u32, lane: u32) {
  var last = vec3u(); // key of the last retained member; 0 if all members are retained
  var remaining = params.limit;
  for (var part = 0u; part < 3u; part++) {
    for (var digit = 0u; digit < 8u; digit++) {
      let shift = 28u - 4u * digit;
      let known = ~((16u << shift) - 1u); // mask of the earlier digits; 0 for the first digit
      if (lane < 16u) {
        atomicStore(&bins[lane], 0u);
      }
      workgroupBarrier();
      for (var at = start + lane; at < end; at += LANES) {
        let memberKey = key(at, start);
        if (candidate(listMember[at]) && prefixEqual(memberKey, last, part, known)) {
          atomicAdd(&bins[(memberKey[part] >> shift) & 15u], 1u);
        }
      }
      workgroupBarrier();
      if (lane == 0u) {
        var bin = 15u;
        while (bin > 0u && atomicLoad(&bins[bin]) < remaining) {
          remaining -= atomicLoad(&bins[bin]);
          bin--;
        }
        selected = vec2u(bin, remaining);
      }
      let selection = workgroupUniformLoad(&selected);
      last[part] |= selection.x << shift;
      remaining = selection.y;
    }
  }
  for (var at = start + lane; at < end; at += LANES) {
    let member = listMember[at];
    retainedFlags[member] = u32(candidate(member) && atLeast(key(at, start), last));
  }
}

@compute @workgroup_size(WIDTH)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let index = group.x + group.y * grid.x;
  if (LANES == 1u) {
    let list = index * WIDTH + invocation;
    if (list < params.count) {
      let start = listOffset[params.first + list];
      let end = listOffset[params.first + list + 1u];
      if (end - start <= SERIAL) {
        selectSerial(start, end);
      }
    }
    return;
  }
  if (index >= params.count) {
    return;
  }
  let start = listOffset[params.first + index];
  let end = listOffset[params.first + index + 1u];
  if (end - start > SERIAL) {
    selectParallel(start, end, invocation);
  }
}
