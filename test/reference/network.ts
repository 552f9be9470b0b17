import { headDim, type PolicyConfiguration } from '../../src/policy/weights.ts';

/** Parameters by name, in float64. Matrices are row-major, [outputs, inputs]. */
export type ReferenceTensors = Readonly<Record<string, Float64Array>>;

/** Outputs of the network at each position of one sequence, for the next token. */
export interface ReferenceOutput {
  /** Logits, [tokens][vocab]. */
  readonly logits: readonly Float64Array[];
  /** Values, [tokens]; 0 without a value head. */
  readonly values: readonly number[];
}

/**
 * Computes the policy network of docs/reference/policy.md in float64, token by token. The code is written for
 * readability. Tests compare the kernels with it at shapes that the vector files do not contain.
 */
export function referenceForward(
  config: PolicyConfiguration,
  tensors: ReferenceTensors,
  tokens: readonly number[],
): ReferenceOutput {
  const { dim, heads, kvHeads, ffDim, vocab } = config;
  const width = headDim(config);
  const embedding = (token: number) => tensors.embed.subarray(token * dim, (token + 1) * dim);
  const norm = (x: Float64Array, name: string) => {
    const scale = 1 / Math.sqrt(dot(x, x) / dim + config.normEps);
    return x.map((value, i) => value * scale * tensors[name][i]);
  };
  let hidden: Float64Array[] = tokens.map((token, t) => {
    if (!config.smear || t === 0) return embedding(token).slice();
    const previous = embedding(tokens[t - 1]);
    return embedding(token).map((value, i) => value + tensors.smear[i] * previous[i]);
  });
  for (let layer = 0; layer < config.layers; layer++) {
    const name = (part: string) => `layers.${layer}.${part}`;
    const matrix = (part: string, x: Float64Array, outputs: number) => multiply(tensors[name(part)], x, outputs);
    const normed = hidden.map((x) => norm(x, name('attnNorm')));
    const rotated = (part: string, count: number) =>
      normed.map((x, t) =>
        split(matrix(part, x, count * width), count).map((head) => rotate(head, t, config.ropeBase)),
      );
    const queries = rotated('q', heads);
    const keys = rotated('k', kvHeads);
    const values = normed.map((x) => split(matrix('v', x, kvHeads * width), kvHeads));
    hidden = hidden.map((x, t) => {
      const attended = queries[t].flatMap((query, head) => {
        const shared = Math.floor((head * kvHeads) / heads);
        const past = (of: Float64Array[][]) => of.slice(0, t + 1).map((at) => at[shared]);
        return [...attend(query, past(keys), past(values))];
      });
      return add(x, matrix('o', Float64Array.from(attended), dim));
    });
    hidden = hidden.map((x) => {
      const input = norm(x, name('ffNorm'));
      const up = matrix('up', input, ffDim);
      const activated = matrix('gate', input, ffDim).map((gate, i) => (gate / (1 + Math.exp(-gate))) * up[i]);
      return add(x, matrix('down', activated, dim));
    });
  }
  const last = hidden.map((x) => norm(x, 'norm'));
  return {
    logits: last.map((x) => multiply(tensors.embed, x, vocab)),
    values: last.map((x) => (config.valueHead ? dot(tensors.valueHead, x) : 0)),
  };
}

/** Computes log-probabilities and the entropy [nats] of the softmax of logits. */
export function logSoftmax(logits: Float64Array): { readonly logProbs: Float64Array; readonly entropy: number } {
  const top = Math.max(...logits);
  const total = top + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - top), 0));
  const logProbs = logits.map((logit) => logit - total);
  return { logProbs, entropy: -logProbs.reduce((sum, logProb) => sum + Math.exp(logProb) * logProb, 0) };
}

/** Inputs of the losses for one token of a sequence: outputs of the network at the preceding position. */
export interface ReferenceToken {
  readonly logProb: number;
  readonly entropy: number;
  readonly value: number;
}

/** Computes the outputs for tokens 1, 2, ... of a sequence. */
export function referenceTokens(
  config: PolicyConfiguration,
  tensors: ReferenceTensors,
  tokens: readonly number[],
): ReferenceToken[] {
  const { logits, values } = referenceForward(config, tensors, tokens);
  return tokens.slice(1).map((token, t) => {
    const { logProbs, entropy } = logSoftmax(logits[t]);
    return { logProb: logProbs[token], entropy, value: values[t] };
  });
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function add(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => value + b[i]);
}

/** Returns the product of a matrix [outputs, x.length] and a vector x. */
function multiply(weight: Float64Array, x: Float64Array, outputs: number): Float64Array {
  return Float64Array.from({ length: outputs }, (_, o) => dot(x, weight.subarray(o * x.length, (o + 1) * x.length)));
}

function split(x: Float64Array, parts: number): Float64Array[] {
  const width = x.length / parts;
  return Array.from({ length: parts }, (_, part) => x.subarray(part * width, (part + 1) * width));
}

/** Applies the rotary position embedding in its rotate-half form: dimensions i and i + width / 2 form a pair. */
function rotate(x: Float64Array, position: number, base: number): Float64Array {
  const half = x.length / 2;
  return x.map((value, i) => {
    const angle = position * base ** (-(i % half) / half);
    const partner = i < half ? -x[i + half] : x[i - half];
    return value * Math.cos(angle) + partner * Math.sin(angle);
  });
}

function attend(query: Float64Array, keys: Float64Array[], values: Float64Array[]): Float64Array {
  const { logProbs } = logSoftmax(Float64Array.from(keys, (key) => dot(query, key) / Math.sqrt(query.length)));
  const sum = new Float64Array(query.length);
  values.forEach((value, j) => {
    for (let i = 0; i < sum.length; i++) sum[i] += Math.exp(logProbs[j]) * value[i];
  });
  return sum;
}
