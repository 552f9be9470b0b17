// kept[m] = 1 for the `keep` members of each list with the largest scores, ties to the member that stands first, else 0.
// Members whose `above` was dropped are dropped with it and take nobody's place. Scores are float64, not negative, so
// that their bits order like the numbers: what ties, and what does not, is as in float64.
// LANES invocations a list: 1 for lists of up to SERIAL members, which counts the better ones, all 64 for longer ones,
// which finds the score of the last member to be kept four bits at a time: the cost is linear.

override LANES: u32;
override SERIAL: u32;
override NO_LIST: u32; // what `above` holds where nothing is above
const WIDTH = 64u;
const LARGEST = 0xffffffffu;

struct Params {
  count: u32,
  first: u32, // number of the first list
  keep: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> listOffset: array<u32>;
@group(0) @binding(2) var<storage, read> listMember: array<u32>;
@group(0) @binding(3) var<storage, read> score: array<vec2u>; // [members] low and high word
@group(0) @binding(4) var<storage, read> above: array<u32>; // [members] an earlier member, or NO_LIST
@group(0) @binding(5) var<storage, read_write> kept: array<u32>; // [members]

var<workgroup> bins: array<atomic<u32>, 16>;
var<workgroup> chosen: vec2u; // digit, members that are still to be kept

fn candidate(member: u32) -> bool {
  return above[member] == NO_LIST || kept[above[member]] != 0u;
}

fn better(a: vec2u, b: vec2u) -> bool {
  return a.y > b.y || (a.y == b.y && a.x > b.x);
}

fn alone(start: u32, end: u32) {
  for (var at = start; at < end; at++) {
    let member = listMember[at];
    var rank = 0u;
    for (var other = start; other < end; other++) {
      let rival = listMember[other];
      let behind = better(score[rival], score[member]) || (other < at && !better(score[member], score[rival]));
      rank += u32(behind && candidate(rival));
    }
    kept[member] = u32(candidate(member) && rank < params.keep);
  }
}

// Score and place as one number of three words, the highest first; no two members have the same.
fn key(at: u32, start: u32) -> vec3u {
  return vec3u(score[listMember[at]].yx, LARGEST - (at - start));
}

fn atLeast(a: vec3u, b: vec3u) -> bool {
  return a.x > b.x || (a.x == b.x && (a.y > b.y || (a.y == b.y && a.z >= b.z)));
}

// Whether a's words before `word`, and the bits of that word in `mask`, are those of b.
fn agrees(a: vec3u, b: vec3u, word: u32, mask: u32) -> bool {
  return (word < 1u || a.x == b.x) && (word < 2u || a.y == b.y) && ((a[word] ^ b[word]) & mask) == 0u;
}

fn together(start: u32, end: u32, lane: u32) {
  var last = vec3u(); // key of the last member to be kept; 0 where all are
  var wanted = params.keep;
  for (var word = 0u; word < 3u; word++) {
    for (var digit = 0u; digit < 8u; digit++) {
      let shift = 28u - 4u * digit;
      let known = ~((16u << shift) - 1u); // the digits before; none for the first
      if (lane < 16u) {
        atomicStore(&bins[lane], 0u);
      }
      workgroupBarrier();
      for (var at = start + lane; at < end; at += LANES) {
        let own = key(at, start);
        if (candidate(listMember[at]) && agrees(own, last, word, known)) {
          atomicAdd(&bins[(own[word] >> shift) & 15u], 1u);
        }
      }
      workgroupBarrier();
      if (lane == 0u) {
        var bin = 15u;
        while (bin > 0u && atomicLoad(&bins[bin]) < wanted) {
          wanted -= atomicLoad(&bins[bin]);
          bin--;
        }
        chosen = vec2u(bin, wanted);
      }
      let found = workgroupUniformLoad(&chosen);
      last[word] |= found.x << shift;
      wanted = found.y;
    }
  }
  for (var at = start + lane; at < end; at += LANES) {
    let member = listMember[at];
    kept[member] = u32(candidate(member) && atLeast(key(at, start), last));
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
        alone(start, end);
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
    together(start, end, invocation);
  }
}
