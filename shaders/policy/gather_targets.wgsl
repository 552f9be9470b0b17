// Copies the rows that predict a target. After the attention of the last layer, only these rows are required: its
// output projection, its feed-forward network and the head run only on targets. One invocation copies four columns of
// one target. Without ATTENDED, attention was computed only for targets.

override ATTENDED: bool = true;

struct Params {
  targetBase: u32,
  countIndex: u32,
  dim4: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [targets] row, token, slot, credit
@group(0) @binding(2) var<storage, read> targets: array<vec4u>;
// [rows, dim]
@group(0) @binding(3) var<storage, read> attended: array<vec4f>;
@group(0) @binding(4) var<storage, read> input: array<vec4f>;
// [targets, dim]
@group(0) @binding(5) var<storage, read_write> targetAttended: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> targetInput: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let index = id.x / params.dim4;
  if (index >= counts[params.countIndex]) {
    return;
  }
  let source = targets[params.targetBase + index].x * params.dim4 + id.x % params.dim4;
  if (ATTENDED) {
    targetAttended[id.x] = attended[source];
  }
  targetInput[id.x] = input[source];
}
