// Normalises the advantages of all policy tokens of a batch, in place: (A - mean) / (std + epsilon), population std. A
// line of the report receives the number of tokens, and the variances of A and of the returns before normalisation. The
// critic explains the share 1 - var(A) / var(R) of the variance of the returns, because A = R - V. One workgroup; the
// reduction has a fixed order and is relative to the first token, so that no digits are lost.
// with shared/reduce

override LANES: u32 = 64u;

struct Params {
  count: u32,
  epsilon: f32,
  reportOffset: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> tokenReturn: array<f32>; // [tokens]
@group(0) @binding(2) var<storage, read_write> tokenAdvantage: array<f32>; // [tokens]
@group(0) @binding(3) var<storage, read_write> report: array<f32>;

fn total(lane: u32, partial: vec2f) -> vec2f {
  return reduce(lane, LANES, vec4f(partial, 0.0, 0.0), vec4<bool>(true)).xy;
}

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
  let size = f32(params.count);
  let first = vec2f(tokenAdvantage[0], tokenReturn[0]);
  var sum = vec2f();
  for (var t = lane; t < params.count; t += LANES) {
    sum += vec2f(tokenAdvantage[t], tokenReturn[t]) - first;
  }
  let mean = first + total(lane, sum) / size;
  var squares = vec2f();
  for (var t = lane; t < params.count; t += LANES) {
    let centred = vec2f(tokenAdvantage[t], tokenReturn[t]) - mean;
    squares += centred * centred;
  }
  let variance = total(lane, squares) / size;
  for (var t = lane; t < params.count; t += LANES) {
    tokenAdvantage[t] = (tokenAdvantage[t] - mean.x) / (sqrt(variance.x) + params.epsilon);
  }
  if (lane == 0u) {
    report[params.reportOffset] = size;
    report[params.reportOffset + 1u] = variance.x;
    report[params.reportOffset + 2u] = variance.y;
  }
}
