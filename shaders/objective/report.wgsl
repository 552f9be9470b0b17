// Sums the targets' terms in a fixed order into one line of the update's report. One workgroup. Terms: weighted loss,
// entropy, k1 and k3 of old to new, k1 and k3 of new to reference, clipped below, clipped above. A line has the loss,
// the gradient norm (gradient_norm.wgsl), the number of targets, then the other seven sums.
// with shared/lane_order

override LANES: u32 = 32;

struct Params {
  countIndex: u32,
  reportOffset: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [targets, 8]
@group(0) @binding(2) var<storage, read> terms: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> report: array<f32>;

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
  let count = counts[params.countIndex];
  let run = (count + LANES - 1u) / LANES;
  let first = min(lane * run, count);
  let last = min(first + run, count);
  var a = vec4f();
  var b = vec4f();
  for (var i = first; i < last; i++) {
    a += terms[2u * i];
    b += terms[2u * i + 1u];
  }
  a = sumForAll(lane, LANES, a);
  b = sumForFirst(lane, LANES, b);
  if (lane != 0u) {
    return;
  }
  let at = params.reportOffset;
  report[at] = a.x;
  report[at + 2u] = f32(count);
  report[at + 3u] = a.y;
  report[at + 4u] = a.z;
  report[at + 5u] = a.w;
  report[at + 6u] = b.x;
  report[at + 7u] = b.y;
  report[at + 8u] = b.z;
  report[at + 9u] = b.w;
}
