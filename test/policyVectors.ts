import type { ObjectiveWeights } from '../src/objective/surrogate.ts';
import type { AdamWStep } from '../src/policy/optimizer.ts';
import { type PolicyConfiguration, packTensors, parameterLayout } from '../src/policy/weights.ts';
import { vectorFile } from './vectorFile.ts';

export type Nested = number | readonly Nested[];
type Table = readonly (readonly number[])[];

interface Step {
  readonly loss: number;
  readonly gradNorm: number;
  readonly gradients: Readonly<Record<string, Nested>>;
  readonly adamw: AdamWStep & { readonly after: Readonly<Record<string, Nested>> };
}

interface PolicyVectors {
  readonly config: Omit<PolicyConfiguration, 'valueHead'>;
  readonly parameters: Readonly<Record<string, Nested>>;
  readonly tokens: Table;
  readonly mask: Table;
  readonly advantages: Table;
  readonly returns: Table;
  readonly oldLogProbs: Table;
  readonly referenceLogProbs: Table;
  readonly oldValues: Table;
  readonly objective: ObjectiveWeights;
  readonly expected: {
    readonly logits: readonly Table[];
    readonly logProbs: Table;
    readonly entropy: Table;
    readonly values: Table;
    readonly clipFraction: number;
    readonly byAggregation: Readonly<Record<'token-mean' | 'sequence-mean', Step>>;
  };
}

export function flatten(value: Nested): number[] {
  return typeof value === 'number' ? [value] : value.flatMap(flatten);
}

/** Reads a vector file, with the configuration of its network and the parameters in the layout of the policy. */
export function policyVectors(name: 'policy.json' | 'policy-plain.json') {
  const vectors = vectorFile<PolicyVectors>(name);
  const config: PolicyConfiguration = { ...vectors.config, valueHead: 'valueHead' in vectors.parameters };
  const tensors = Object.entries(vectors.parameters).map(([tensor, values]) => {
    return [tensor, Float32Array.from(flatten(values))] as const;
  });
  return { vectors, config, parameters: packTensors(parameterLayout(config), Object.fromEntries(tensors)) };
}
