// A^I_l = (R_l - m_l) / (s_l + epsilon) over all rollouts of a group. Rollouts without an intermediate turn l have R_l
// = 0.
// Computed for existing turns and for absent turns; 0 if all R_l are equal.
// One invocation per group, which processes the levels in order; mean first, then variance.

struct Params {
  count: u32,
  ddof: u32,
  epsilon: f32,
  scaleByStd: u32,
  rawSingleton: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> levelOffset: array<u32>; // [groups + 1] offsets of the levels of each group
@group(0) @binding(2) var<storage, read> memberOffset: array<u32>; // [levels + 1]
@group(0) @binding(3) var<storage, read> member: array<u32>; // turns of each level
@group(0) @binding(4) var<storage, read> trajectoryOffset: array<u32>; // [groups + 1]
@group(0) @binding(5) var<storage, read> value: array<f32>; // R^I [turns]
@group(0) @binding(6) var<storage, read_write> turnAdvantage: array<f32>; // [turns]
@group(0) @binding(7) var<storage, read_write> absentAdvantage: array<f32>; // [levels]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let g = id.x + id.y * grid.x * 64u;
  if (g >= params.count) {
    return;
  }
  let size = trajectoryOffset[g + 1u] - trajectoryOffset[g];
  for (var level = levelOffset[g]; level < levelOffset[g + 1u]; level++) {
    let start = memberOffset[level];
    let end = memberOffset[level + 1u];
    let absent = size - (end - start);
    // Relative to the first member, or to 0 if some members are absent.
    let first = select(value[member[start]], 0.0, absent > 0u);
    var sum = 0.0;
    var equal = true;
    for (var at = start; at < end; at++) {
      let x = value[member[at]] - first;
      sum += x;
      equal = equal && x == 0.0;
    }
    let raw = size == 1u && params.rawSingleton == 1u;
    let mean = select(sum / f32(size), -first, raw);
    var squares = f32(absent) * mean * mean;
    for (var at = start; at < end; at++) {
      let centred = (value[member[at]] - first) - mean;
      squares += centred * centred;
    }
    let deviation = select(sqrt(squares / f32(max(size - params.ddof, 1u))), 1.0, raw);
    let divisor = select(1.0, deviation + params.epsilon, params.scaleByStd == 1u);
    let tied = equal && !raw;
    for (var at = start; at < end; at++) {
      let turn = member[at];
      turnAdvantage[turn] = select(((value[turn] - first) - mean) / divisor, 0.0, tied);
    }
    absentAdvantage[level] = select(-mean / divisor, 0.0, tied);
  }
}
