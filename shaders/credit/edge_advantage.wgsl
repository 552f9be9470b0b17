// advantage[t] = Q(s_t, a_t) - V(s_t). It is 0 if float32 cannot distinguish the difference from the rounding of equal
// returns (`tie`, relative). One invocation per turn.

struct Params {
  count: u32,
  tie: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> edgeValue: array<f32>; // Q(s_t, a_t) [turns]
@group(0) @binding(2) var<storage, read> stateValue: array<f32>; // V(s_t) [turns]
@group(0) @binding(3) var<storage, read_write> advantage: array<f32>; // [turns]

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  let t = id.x + id.y * grid.x * 64u;
  if (t >= params.count) {
    return;
  }
  let q = edgeValue[t];
  let v = stateValue[t];
  advantage[t] = select(q - v, 0.0, abs(q - v) <= params.tie * max(abs(q), abs(v)));
}
