// prefixValue[k] = mean normalised outcome of the rollouts with the same prefix before turn k. One invocation per
// prefix, in the order of the rollouts, so that a prefix and its only continuation have the same bits.

struct Params {
  count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> prefixOffset: array<u32>; // [prefixes + 1]
@group(0) @binding(2) var<storage, read> prefixMember: array<u32>; // turns after each prefix
@group(0) @binding(3) var<storage, read> trajectory: array<u32>; // [turns]
@group(0) @binding(4) var<storage, read> normalized: array<f32>; // [trajectories]
@group(0) @binding(5) var<storage, read_write> prefixValue: array<f32>; // [turns]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let prefix = id.x + id.y * grid.x * 64u;
  if (prefix >= params.count) {
    return;
  }
  let start = prefixOffset[prefix];
  let end = prefixOffset[prefix + 1u];
  var sum = 0.0;
  for (var k = start; k < end; k++) {
    sum += normalized[trajectory[prefixMember[k]]];
  }
  let value = sum / f32(end - start);
  for (var k = start; k < end; k++) {
    prefixValue[prefixMember[k]] = value;
  }
}
