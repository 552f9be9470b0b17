// Global gradient norm from the sums of squares of the workgroups, in order, and the clip factor min(1, clip / (norm +
// 1e-6)). A norm or a loss that is not finite sets `health`, which remains set. adamw then does not change the weights
// until the host resets `health`. The bits are tested, because compilers may assume finite numbers.
// with shared/lane_order

override LANES: u32 = 64;

struct Params {
  squareCount: u32,
  reportOffset: u32,
  clipNorm: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> squares: array<f32>;
// [0] clip factor, [1] norm
@group(0) @binding(2) var<storage, read_write> norm: array<f32>;
// [0] 0 while all values are finite
@group(0) @binding(3) var<storage, read_write> health: array<u32>;
// Metrics of the update: the loss is at reportOffset, the norm is written to reportOffset + 1
@group(0) @binding(4) var<storage, read_write> report: array<f32>;

fn finite(value: f32) -> bool {
  return (bitcast<u32>(value) & 0x7f800000u) != 0x7f800000u;
}

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
  let run = (params.squareCount + LANES - 1u) / LANES;
  let first = min(lane * run, params.squareCount);
  let last = min(first + run, params.squareCount);
  var sum = 0.0;
  for (var i = first; i < last; i++) {
    sum += squares[i];
  }
  let total = sumForFirst(lane, LANES, vec4f(sum, 0.0, 0.0, 0.0)).x;
  if (lane != 0u) {
    return;
  }
  let length = sqrt(total);
  norm[0] = min(1.0, params.clipNorm / (length + 1e-6));
  norm[1] = length;
  report[params.reportOffset + 1u] = length;
  if (!finite(total) || !finite(report[params.reportOffset])) {
    health[0] = 1u;
  }
}
