// Global gradient norm from the workgroups' sums of squares, in order, and the factor that clips it:
// min(1, clip / (norm + 1e-6)). A norm or a loss that is not finite sets `health`, which stays set: adamw then leaves
// the weights alone until the host has looked. Finiteness is read from the bits, because compilers may assume it.
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
// [0] 0 while everything is finite
@group(0) @binding(3) var<storage, read_write> health: array<u32>;
// Metrics of the update; the loss is summed at reportOffset, the norm goes to reportOffset + 1
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
