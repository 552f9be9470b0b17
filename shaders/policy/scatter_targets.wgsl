// Copies the gradients of targets to their rows. The host clears the rows in advance, and a row predicts at most one
// target. One invocation copies four columns of one target.

struct Params {
  targetBase: u32,
  countIndex: u32,
  dim4: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [targets] row, token, slot, credit
@group(0) @binding(2) var<storage, read> targets: array<vec4u>;
// [targets, dim]
@group(0) @binding(3) var<storage, read> targetAttendedGradient: array<vec4f>;
@group(0) @binding(4) var<storage, read> targetHiddenGradient: array<vec4f>;
// [rows, dim]
@group(0) @binding(5) var<storage, read_write> attendedGradient: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> hiddenGradient: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let index = id.x / params.dim4;
  if (index >= counts[params.countIndex]) {
    return;
  }
  let goal = targets[params.targetBase + index].x * params.dim4 + id.x % params.dim4;
  attendedGradient[goal] = targetAttendedGradient[id.x];
  hiddenGradient[goal] = targetHiddenGradient[id.x];
}
