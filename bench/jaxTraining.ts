import { jit, nn, numpy as np, tree, valueAndGrad } from '@jax-js/jax';
import {
  type JaxModel,
  type JaxParameters,
  jaxParameters,
  type Linear,
  layerForward,
  rmsNorm,
  rotationTable,
} from './jaxNetwork.ts';
import { stepSettings } from './turnwise.ts';
import type { Lesson, Workload } from './workload.ts';

/** Lessons padded to the longest sequence. Every array is [sequences, positions]. Position i predicts token i + 1. */
type PaddedBatch = {
  inputs: np.Array;
  targets: np.Array;
  weights: np.Array;
  advantages: np.Array;
  oldLogProbs: np.Array;
};

type State = { parameters: JaxParameters; first: JaxParameters; second: JaxParameters };

function pad(lessons: readonly Lesson[]): PaddedBatch {
  const positions = Math.max(...lessons.map(({ tokens }) => tokens.length)) - 1;
  const table = (value: (lesson: Lesson, position: number) => number | undefined) =>
    lessons.flatMap((lesson) => Array.from({ length: positions }, (_, position) => value(lesson, position) ?? 0));
  const shape = [lessons.length, positions];
  const floats = (values: number[]) => np.array(Float32Array.from(values)).reshape(shape);
  const integers = (values: number[]) => np.array(Int32Array.from(values), { dtype: np.int32 }).reshape(shape);
  return {
    inputs: integers(table(({ tokens }, position) => tokens[position])),
    targets: integers(table(({ tokens }, position) => tokens[position + 1])),
    weights: floats(table(({ weights }, position) => weights[position + 1])),
    advantages: floats(table(({ advantages }, position) => advantages[position + 1])),
    oldLogProbs: floats(table(({ oldLogProbs }, position) => oldLogProbs[position + 1])),
  };
}

/** Returns the logits [batch, positions, vocab]. */
function logits(model: JaxModel, parameters: JaxParameters, inputs: np.Array): np.Array {
  const { config, linear } = model;
  const [, positions] = inputs.shape;
  const { embed, smear, layers, norm } = parameters;
  // The gradient of a gather does not run under jit in jax-js 0.1.25, so a product with one-hot rows replaces the
  // gather.
  const embedded = linear(nn.oneHot(inputs, config.vocab), embed.ref.transpose());
  const previous = np.pad(embedded.ref.slice([], [0, positions - 1]), { 1: [1, 0] });
  let x = embedded.add(previous.mul(smear));
  const rotation = rotationTable(config, positions);
  for (const layer of layers) {
    x = layerForward(model, layer, x, tree.ref(rotation), (q, k, v) =>
      nn.dotProductAttention(q, k, v, { isCausal: true }),
    );
  }
  return linear(rmsNorm(norm, x, config.normEps), embed);
}

function surrogateLoss(model: JaxModel, parameters: JaxParameters, batch: PaddedBatch): np.Array {
  const { clipLow, clipHigh, klCoef, entropyCoef } = stepSettings();
  if (klCoef !== 0 || entropyCoef !== 0)
    throw new RangeError('the benchmark trains without KL penalty and entropy bonus');
  const { inputs, targets, weights, advantages, oldLogProbs } = batch;
  const logProbs = nn.logSoftmax(logits(model, parameters, inputs));
  const picked = logProbs.mul(nn.oneHot(targets, model.config.vocab)).sum(-1);
  const ratio = np.exp(picked.sub(oldLogProbs));
  const clipped = np.clip(ratio.ref, 1 - clipLow, 1 + clipHigh);
  const surrogate = np.minimum(ratio.mul(advantages.ref), clipped.mul(advantages));
  return surrogate.mul(weights).sum().mul(-1);
}

/** Returns the complete step as one jitted function: forward, loss, backward, clipping by the global norm, AdamW. */
function trainingFunction(model: JaxModel) {
  const { adamw } = stepSettings();
  if (adamw.weightDecay !== 0) throw new RangeError('the benchmark trains without weight decay');
  const { learningRate, beta1, beta2, epsilon, clipNorm } = adamw;
  return jit(
    ({ parameters, first, second }: State, batch: PaddedBatch, correction1: np.Array, correction2: np.Array) => {
      const loss = (values: JaxParameters) => surrogateLoss(model, values, tree.ref(batch));
      const [value, gradients] = valueAndGrad(loss)(tree.ref(parameters));
      tree.dispose(batch);
      const squares = tree.leaves(tree.ref(gradients)).map((gradient) => np.square(gradient as np.Array).sum());
      const norm = np.sqrt(squares.reduce((sum, square) => sum.add(square)));
      const scale = np.minimum(1, np.array(clipNorm).div(norm.ref.add(1e-6)));
      const [weights, structure] = tree.flatten(parameters);
      const [g, m, v] = [gradients, first, second].map((part) => tree.leaves(part) as np.Array[]);
      const stepped = (weights as np.Array[]).map((weight, index) => {
        const gradient = g[index].mul(scale.ref);
        const mean = m[index].mul(beta1).add(gradient.ref.mul(1 - beta1));
        const square = v[index].mul(beta2).add(np.square(gradient).mul(1 - beta2));
        const denominator = np.sqrt(square.ref.div(correction2.ref)).add(epsilon);
        const change = mean.ref.div(correction1.ref).div(denominator).mul(learningRate);
        return { weight: weight.sub(change), mean, square };
      });
      tree.dispose([scale, correction1, correction2]);
      const collect = (key: 'weight' | 'mean' | 'square') =>
        tree.unflatten(
          structure,
          stepped.map((part) => part[key]),
        ) as unknown as JaxParameters;
      return { parameters: collect('weight'), first: collect('mean'), second: collect('square'), value, norm };
    },
  );
}

/** Returns a function that makes a step on the lessons and reads its loss and gradient norm. */
export function jaxTrainingStep({ config, parameters, lessons }: Workload, linear: Linear) {
  const { adamw } = stepSettings();
  const batch = pad(lessons);
  const run = trainingFunction({ config, linear });
  const zeros = () => jaxParameters(config, new Float32Array(parameters.length));
  let state: State = { parameters: jaxParameters(config, parameters), first: zeros(), second: zeros() };
  let steps = 0;
  const step = async () => {
    steps++;
    const corrections = [1 - adamw.beta1 ** steps, 1 - adamw.beta2 ** steps] as const;
    const { value, norm, ...next } = run(state, tree.ref(batch), ...corrections);
    state = next;
    const [[loss], [gradientNorm]] = await Promise.all([value.data(), norm.data()]);
    return { loss, gradientNorm };
  };
  return { step, paddedTokens: batch.inputs.shape[0] * batch.inputs.shape[1] };
}
