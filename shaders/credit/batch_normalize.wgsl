// advantage[t] = (advantage[t] - mean) / (std + epsilon) over all members of the batch, with the sample deviation. Turn
// t counts as members[t] members. One workgroup; sums are relative to the first advantage and have a fixed order.
// with shared/reduce

const WIDTH = 64u;

struct Params {
  count: u32,
  turns: u32,
  epsilon: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> members: array<u32>; // [turns]
@group(0) @binding(2) var<storage, read_write> advantage: array<f32>; // [turns]

@compute @workgroup_size(WIDTH)
fn main(@builtin(local_invocation_index) lane: u32) {
  let first = advantage[0];
  var laneSums = vec2f();
  for (var t = lane; t < params.turns; t += WIDTH) {
    let weight = f32(members[t]);
    laneSums += vec2f(weight, weight * (advantage[t] - first));
  }
  let sums = reduce(lane, WIDTH, vec4f(laneSums, 0.0, 0.0), vec4<bool>(true)).xy;
  let mean = sums.y / max(sums.x, 1.0);
  var squares = 0.0;
  for (var t = lane; t < params.turns; t += WIDTH) {
    let centred = (advantage[t] - first) - mean;
    squares += f32(members[t]) * centred * centred;
  }
  let total = reduce(lane, WIDTH, vec4f(squares, 0.0, 0.0, 0.0), vec4<bool>(true)).x;
  let divisor = sqrt(total / max(sums.x - 1.0, 1.0)) + params.epsilon;
  for (var t = lane; t < params.turns; t += WIDTH) {
    advantage[t] = ((advantage[t] - first) - mean) / divisor;
  }
}
