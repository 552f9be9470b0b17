// For each run of turns: mean[t] = (sum of value over the first visits + kappa prior) / (visits + kappa). With
// `counted`, visits[t] is the number of first visits. A turn is the first visit of its edge (state and action) by its
// trajectory if the previous sorted turn has another edge or another trajectory. Edges are runs by state and action and
// give Q; states are runs by state and give V. Sums are relative to the first value of the run, so equal returns give
// this value exactly.
// A workgroup processes 64 positions. Each invocation computes the run that starts at its position, if the run has at
// most 64 turns. At most one longer run starts within 64 positions. All invocations compute it together, in a fixed
// order.

const WIDTH = 64u;

struct Params {
  count: u32,
  kappa: f32,
  counted: u32, // 1: visits are also written
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> runOffset: array<u32>; // [turns + 1] start of the next run
@group(0) @binding(2) var<storage, read> edgeOffset: array<u32>; // [turns + 1] start of the next edge
@group(0) @binding(3) var<storage, read> order: array<u32>; // [turns] sorted, group by group
@group(0) @binding(4) var<storage, read> trajectory: array<u32>; // [turns]
@group(0) @binding(5) var<storage, read> value: array<f32>; // [turns]
@group(0) @binding(6) var<storage, read> prior: array<f32>; // [turns] equal for all turns of a group
@group(0) @binding(7) var<storage, read_write> mean: array<f32>; // [turns]
@group(0) @binding(8) var<storage, read_write> visits: array<u32>; // [turns]

// Start + 1 of the long run within the workgroup's positions; 0 without a long run.
var<workgroup> longRun: u32;
var<workgroup> lanes: array<vec2f, WIDTH>;

// Returns the sum of value - reference over the first visits at every stride-th position of a run, and their number.
fn visited(start: u32, end: u32, stride: u32, reference: f32) -> vec2f {
  var sums = vec2f();
  for (var p = start; p < end; p += stride) {
    let t = order[p];
    // The start of an edge is tested first, so that no position before the first is read.
    if (edgeOffset[p] == p || trajectory[t] != trajectory[order[p - 1u]]) {
      sums += vec2f(value[t] - reference, 1.0);
    }
  }
  return sums;
}

fn write(start: u32, end: u32, stride: u32, first: u32, sums: vec2f) {
  let reference = value[first];
  let average = reference + (sums.x + params.kappa * (prior[first] - reference)) / (sums.y + params.kappa);
  for (var p = start; p < end; p += stride) {
    mean[order[p]] = average;
    if (params.counted == 1u) {
      visits[order[p]] = u32(sums.y);
    }
  }
}

@compute @workgroup_size(WIDTH)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let p = (group.x + group.y * grid.x) * WIDTH + lane;
  // Positions after the last position are starts of empty runs.
  let start = runOffset[min(p, params.count)];
  let end = runOffset[min(p + 1u, params.count)];
  if (end - start > WIDTH) {
    longRun = start + 1u;
  } else if (end > start) {
    let first = order[start];
    write(start, end, 1u, first, visited(start, end, 1u, value[first]));
  }

  let long = workgroupUniformLoad(&longRun);
  if (long == 0u) {
    return;
  }
  let longStart = long - 1u;
  let longEnd = runOffset[long];
  let first = order[longStart];
  lanes[lane] = visited(longStart + lane, longEnd, WIDTH, value[first]);
  for (var stride = WIDTH / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (lane < stride) {
      lanes[lane] += lanes[lane + stride];
    }
  }
  let sums = workgroupUniformLoad(&lanes[0]);
  write(longStart + lane, longEnd, WIDTH, first, sums);
}
