// Start of the backup: every turn is retained, and its backed-up reward is its reward. One invocation per turn.

struct Params {
  count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> reward: array<f32>; // [turns]
@group(0) @binding(2) var<storage, read_write> retained: array<u32>; // [turns]
@group(0) @binding(3) var<storage, read_write> backedUp: array<f32>; // [turns]
@group(0) @binding(4) var<storage, read_write> magnitude: array<f32>; // [turns] magnitude of the terms of `backedUp`

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let turn = id.x + id.y * grid.x * 64u;
  if (turn >= params.count) {
    return;
  }
  retained[turn] = 1u;
  backedUp[turn] = reward[turn];
  magnitude[turn] = abs(reward[turn]);
}
