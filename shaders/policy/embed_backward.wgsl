// Adds the gradient of the input embedding to chunk 0 of the partial gradients, which the tied head has written. It
// sums, for each token, the rows with the token and, through smear, the rows after it. The host lists these rows by
// token, so that no two invocations write the same element and the order of the sum is fixed.

override SMEAR: bool = true;

struct Params {
  listBase: u32,
  vocabulary: u32,
  dim4: u32,
  embedOffset4: u32,
  smearOffset4: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// [2 vocabulary + 1] offsets, then row numbers: rows with token v, then rows whose previous token is v
@group(0) @binding(1) var<storage, read> rowsOfToken: array<u32>;
@group(0) @binding(2) var<storage, read> parameters: array<vec4f>;
@group(0) @binding(3) var<storage, read> hiddenGradient: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> partial: array<vec4f>;

fn sumRows(list: u32, column: u32) -> vec4f {
  let first = rowsOfToken[params.listBase + list];
  let last = rowsOfToken[params.listBase + list + 1u];
  let start = params.listBase + 2u * params.vocabulary + 1u;
  var sum = vec4f();
  for (var i = first; i < last; i++) {
    sum += hiddenGradient[rowsOfToken[start + i] * params.dim4 + column];
  }
  return sum;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let token = id.x / params.dim4;
  let column = id.x % params.dim4;
  if (token >= params.vocabulary) {
    return;
  }
  var sum = sumRows(token, column);
  if (SMEAR) {
    sum += parameters[params.smearOffset4 + column] * sumRows(params.vocabulary + token, column);
  }
  partial[params.embedOffset4 + id.x] += sum;
}
