// Part of decode_layer.wgsl: attention of the newest row of a sequence over the sequence's cache. The arithmetic of
// rope_cache.wgsl and attention.wgsl, which say more about it. Widths of heads are in vec4f; `width4` is HEAD_DIM4 once
// more, for loops that must not be unrolled: compilers take long over many loads and stores.
// with policy/decode_arguments

// Four dimensions of the partner half; in heads of 4, 12, ... the halves meet inside a vector.
fn partner(start: u32, i: u32) -> vec4f {
  let first = activations[start + (i + HEAD_DIM4 / 2u) % HEAD_DIM4];
  if (HEAD_DIM4 % 2u == 0u) {
    return first;
  }
  return vec4f(first.zw, activations[start + (i + HEAD_DIM4 / 2u + 1u) % HEAD_DIM4].xy);
}

// Rotates queries to `queries`, rotated keys to their row of the cache; writes values there too.
fn fillCache(position: u32, cacheRow: u32, projected: u32, queries: u32, width4: u32) {
  let turn = position * 2u * width4;
  let row = cacheRow * KV_HEADS * width4;
  for (var i = 0u; i < (HEADS + KV_HEADS) * width4; i++) {
    let column = i % width4;
    let cosines = rotation[turn + column];
    let sines = rotation[turn + width4 + column];
    let rotated = activations[projected + i] * cosines + partner(projected + i - column, column) * sines;
    if (i < HEADS * width4) {
      activations[queries + i] = rotated;
    } else {
      keys[row + i - HEADS * width4] = rotated;
    }
  }
  for (var i = 0u; i < KV_HEADS * width4; i++) {
    values[row + i] = activations[projected + (HEADS + KV_HEADS) * width4 + i];
  }
}

// Attention of one head over the cache rows from `start` on; puts what it finds where the query was.
fn attend(position: u32, start: u32, place: u32) {
  let stride = KV_HEADS * HEAD_DIM4;
  let scale = 1.0 / sqrt(4.0 * f32(HEAD_DIM4));
  var query: array<vec4f, 16>;
  var sum: array<vec4f, 16>;
  for (var i = 0u; i < HEAD_DIM4; i++) {
    query[i] = activations[place + i] * scale;
    sum[i] = vec4f();
  }
  var highest = -3.0e38;
  var total = 0.0;
  for (var j = 0u; j <= position; j++) {
    let at = start + j * stride;
    var score = 0.0;
    for (var i = 0u; i < HEAD_DIM4; i++) {
      score += dot(query[i], keys[at + i]);
    }
    let top = max(highest, score);
    let fade = exp(highest - top);
    let weight = exp(score - top);
    total = total * fade + weight;
    for (var i = 0u; i < HEAD_DIM4; i++) {
      sum[i] = sum[i] * fade + weight * values[at + i];
    }
    highest = top;
  }
  for (var i = 0u; i < HEAD_DIM4; i++) {
    activations[place + i] = sum[i] / total;
  }
}

// All heads of a row at `position` of the sequence whose cache rows start at `first`: from queries, keys and values at
// `projected` to what they attend to at `goal`.
fn attendRow(position: u32, first: u32, projected: u32, goal: u32, width4: u32) {
  fillCache(position, first + position, projected, goal, width4);
  for (var i = 0u; i < HEADS * width4; i += width4) {
    attend(position, first * KV_HEADS * HEAD_DIM4 + i / width4 * KV_HEADS / HEADS * HEAD_DIM4, goal + i);
  }
}
