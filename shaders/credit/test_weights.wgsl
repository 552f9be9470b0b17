// VeRPO: weight of each unit test of a group. rho_j = share of the group's turns that pass test j,
// w_j = exp(-alpha rho_j), sigma = max(population std of rho / 2, LEAST_BANDWIDTH),
// d_j = sum over k of exp(-(rho_j - rho_k)^2 / (2 sigma^2)), weight_j = w_j / (d_j + DENSITY_EPSILON).
// By failure rates: weight_j = (1 - rho_j)^alpha / sum over k of (1 - rho_k)^alpha, or 1 / tests if every turn passes
// every test.
// One workgroup per group, lanes over its tests. Passes are counted as integers, so that tests with the same number of
// passes have exactly the same weight, and differences of pass rates lose no digits.

override WIDTH: u32 = 64u;
override MAX_TESTS: u32;
override LEAST_BANDWIDTH: f32;
override DENSITY_EPSILON: f32;
// Values of params.weighting; 0: every test has weight 0.
override PASS_RATE: u32; // 1 / tests
override FAILURE_RATE: u32; // by failure rates
override DIFFICULTY: u32; // w_j
override DIFFICULTY_DENSITY: u32; // w_j / (d_j + DENSITY_EPSILON)

struct Params {
  count: u32,
  alpha: f32,
  bandwidth: f32, // sigma; 0: computed from the pass rates
  weighting: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> testOffset: array<u32>; // [groups + 1]
@group(0) @binding(2) var<storage, read> turnOffset: array<u32>; // [groups + 1]
@group(0) @binding(3) var<storage, read> resultOffset: array<u32>; // [groups + 1]
@group(0) @binding(4) var<storage, read> passed: array<u32>; // one bit per turn, test by test
@group(0) @binding(5) var<storage, read_write> passRate: array<f32>; // rho [tests]
@group(0) @binding(6) var<storage, read_write> weight: array<f32>; // [tests]
@group(0) @binding(7) var<storage, read_write> bandwidth: array<f32>; // sigma [groups]

var<workgroup> passes: array<u32, MAX_TESTS>;
var<workgroup> groupSigma: f32;

fn difference(j: u32, k: u32) -> f32 {
  return f32(i32(passes[j]) - i32(passes[k]));
}

// Returns the population standard deviation of the numbers of passes, relative to the first test.
fn deviation(tests: u32) -> f32 {
  var sum = 0.0;
  for (var k = 0u; k < tests; k++) {
    sum += difference(k, 0u);
  }
  let mean = sum / f32(max(tests, 1u));
  var squares = 0.0;
  for (var k = 0u; k < tests; k++) {
    let centred = difference(k, 0u) - mean;
    squares += centred * centred;
  }
  return sqrt(squares / f32(max(tests, 1u)));
}

fn density(j: u32, tests: u32, turnsPerSigma: f32) -> f32 {
  var sum = 0.0;
  for (var k = 0u; k < tests; k++) {
    let distance = difference(j, k) / turnsPerSigma;
    sum += exp(-0.5 * distance * distance);
  }
  return sum;
}

// Returns (1 - rho_j)^alpha of a test that some turn fails, in units of the highest failure rate to avoid underflow.
fn failurePower(j: u32, turns: u32, maxFailures: u32) -> f32 {
  let failures = turns - passes[j];
  if (params.alpha == 0.0) {
    return 1.0;
  }
  if (failures == 0u) {
    return 0.0;
  }
  return pow(f32(failures) / f32(maxFailures), params.alpha);
}

fn failureShare(j: u32, tests: u32, turns: u32) -> f32 {
  var fewest = turns; // passes of a test
  for (var k = 0u; k < tests; k++) {
    fewest = min(fewest, passes[k]);
  }
  if (fewest == turns) {
    return 1.0 / f32(tests);
  }
  var sum = 0.0;
  for (var k = 0u; k < tests; k++) {
    sum += failurePower(k, turns, turns - fewest);
  }
  return failurePower(j, turns, turns - fewest) / sum;
}

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
  let turns = turnOffset[group + 1u] - turnOffset[group];
  let packedLength = (turns + 31u) / 32u; // of one test
  for (var j = lane; j < tests; j += WIDTH) {
    var count = 0u;
    for (var i = 0u; i < packedLength; i++) {
      count += countOneBits(passed[resultOffset[group] + j * packedLength + i]);
    }
    passes[j] = count;
  }
  workgroupBarrier();

  let n = f32(max(turns, 1u));
  if (lane == 0u) {
    groupSigma = max(select(params.bandwidth, deviation(tests) / n / 2.0, params.bandwidth == 0.0), LEAST_BANDWIDTH);
    bandwidth[group] = groupSigma;
  }
  let sigma = workgroupUniformLoad(&groupSigma);
  for (var j = lane; j < tests; j += WIDTH) {
    let rho = f32(passes[j]) / n;
    let w = exp(-params.alpha * rho);
    var testWeight = 0.0;
    if (params.weighting == PASS_RATE) {
      testWeight = 1.0 / f32(tests);
    } else if (params.weighting == FAILURE_RATE) {
      testWeight = failureShare(j, tests, turns);
    } else if (params.weighting == DIFFICULTY) {
      testWeight = w;
    } else if (params.weighting == DIFFICULTY_DENSITY) {
      testWeight = w / (density(j, tests, n * sigma) + DENSITY_EPSILON);
    }
    passRate[firstTest + j] = rho;
    weight[firstTest + j] = testWeight;
  }
}
