// turnReward[k] = sum of the weights of the unit tests that turn k passes; solved[k] = 1 if it passes all tests, else
// 0.
// One workgroup per group, lanes over its turns.

override WIDTH: u32 = 64u;
override MAX_TESTS: u32;

struct Params {
  count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> testOffset: array<u32>; // [groups + 1]
@group(0) @binding(2) var<storage, read> turnOffset: array<u32>; // [groups + 1]
@group(0) @binding(3) var<storage, read> resultOffset: array<u32>; // [groups + 1]
@group(0) @binding(4) var<storage, read> passed: array<u32>; // one bit per turn, test by test
@group(0) @binding(5) var<storage, read> weight: array<f32>; // [tests]
@group(0) @binding(6) var<storage, read_write> turnReward: array<f32>; // [turns]
@group(0) @binding(7) var<storage, read_write> solved: array<u32>; // [turns]

var<workgroup> weights: array<f32, MAX_TESTS>;

@compute @workgroup_size(WIDTH)
fn main(
  @builtin(workgroup_id) id: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let group = id.x + id.y * grid.x;
  if (group >= params.count) {
    return;
  }
  let firstTest = testOffset[group];
  let tests = min(testOffset[group + 1u] - firstTest, MAX_TESTS);
  for (var j = lane; j < tests; j += WIDTH) {
    weights[j] = weight[firstTest + j];
  }
  workgroupBarrier();

  let firstTurn = turnOffset[group];
  let turns = turnOffset[group + 1u] - firstTurn;
  let packedLength = (turns + 31u) / 32u; // of one test
  for (var t = lane; t < turns; t += WIDTH) {
    var sum = 0.0;
    var all = true;
    for (var j = 0u; j < tests; j++) {
      let bits = passed[resultOffset[group] + j * packedLength + t / 32u];
      let success = ((bits >> (t % 32u)) & 1u) == 1u;
      sum += select(0.0, weights[j], success);
      all = all && success;
    }
    turnReward[firstTurn + t] = sum;
    solved[firstTurn + t] = select(0u, 1u, all);
  }
}
