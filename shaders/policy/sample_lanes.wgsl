// Part of sample.wgsl: what the lanes of a sequence tell each other. Lanes that share a sequence have a workgroup to
// themselves; a lane that has a sequence to itself keeps everything to itself too, because some compilers write out,
// word by word, how a workgroup's memory is cleared.

// Lanes of a sequence.
override LANES: u32 = 32;

const RUNS = 32u;
// Of each run: probability, probability times logit, weight; all unnormalised
var<private> own: array<vec4f, RUNS>;
var<workgroup> together: array<vec4f, RUNS>;
var<workgroup> highest: array<f32, LANES>;

fn keepRun(run: u32, sum: vec4f) {
  if (LANES == 1u) {
    own[run] = sum;
  } else {
    together[run] = sum;
  }
}

fn keptRun(run: u32) -> vec4f {
  if (LANES == 1u) {
    return own[run];
  }
  return together[run];
}

// Over the lanes of a sequence.
fn largest(lane: u32, value: f32) -> f32 {
  if (LANES == 1u) {
    return value;
  }
  highest[lane] = value;
  workgroupBarrier();
  var top = value;
  for (var i = 0u; i < LANES; i++) {
    top = max(top, highest[i]);
  }
  return top;
}
