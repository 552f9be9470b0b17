// advantage[k] = mean of the advantages of the tokens of turn k. One invocation per turn; every turn has tokens.

struct Params {
  count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> tokenOffset: array<u32>; // [turns + 1] offsets of the tokens of each turn
@group(0) @binding(2) var<storage, read> tokenAdvantage: array<f32>; // [tokens]
@group(0) @binding(3) var<storage, read_write> advantage: array<f32>; // [turns]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let k = id.x + id.y * grid.x * 64u;
  if (k >= params.count) {
    return;
  }
  let first = tokenOffset[k];
  let end = tokenOffset[k + 1u];
  var sum = 0.0;
  for (var t = first; t < end; t++) {
    sum += tokenAdvantage[t];
  }
  advantage[k] = sum / f32(end - first);
}
