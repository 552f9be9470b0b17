// AdamW with bias correction (Loshchilov and Hutter 2019), weight decay on matrices only.
// Changes nothing while `health` is set.

struct Params {
  parameters4: u32,
  learningRate: f32,
  beta1: f32,
  beta2: f32,
  epsilon: f32,
  weightDecay: f32,
  correction1: f32,
  correction2: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> gradient: array<vec4f>;
// [0] factor of global-norm clipping
@group(0) @binding(2) var<storage, read> norm: array<f32>;
@group(0) @binding(3) var<storage, read> health: array<u32>;
// [parameters / 4] 1 if weight decay applies
@group(0) @binding(4) var<storage, read> decayed: array<f32>;
@group(0) @binding(5) var<storage, read_write> firstMoment: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> secondMoment: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> parameters: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= params.parameters4 || health[0] != 0u) {
    return;
  }
  let g = gradient[id.x] * norm[0];
  let m = params.beta1 * firstMoment[id.x] + (1.0 - params.beta1) * g;
  let v = params.beta2 * secondMoment[id.x] + (1.0 - params.beta2) * g * g;
  firstMoment[id.x] = m;
  secondMoment[id.x] = v;
  let step = (m / params.correction1) / (sqrt(v / params.correction2) + params.epsilon);
  let decayedParameters = parameters[id.x] * (1.0 - params.learningRate * params.weightDecay * decayed[id.x]);
  parameters[id.x] = decayedParameters - params.learningRate * step;
}
