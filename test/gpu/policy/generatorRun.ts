import { Generator } from '../../../src/policy/generator.ts';
import type { Continuation, SamplingSettings } from '../../../src/policy/turns.ts';
import { logSoftmax, referenceForward } from '../../reference/network.ts';
import { openRun, referenceOf, testParameters, testRandom } from './policyRun.ts';
import { SHAPES } from './policyShapes.ts';

/** A policy with small heads, shared keys and smear, whose logits are spread over about eight nats. */
export const CONFIG = { ...SHAPES['heads of 8, 1 layer, smear'], vocab: 29, layers: 2, ffDim: 24, context: 24 };
/** Number of parallel sequences. */
export const SEQUENCES = 64;
/** Content of the token table at positions that have not been written. */
export const UNTOUCHED = 7777;

export const PLAIN: SamplingSettings = { temperature: 1, topP: 1, topK: 0, stopTokens: [], watch: 3, seed: 5, step: 2 };

/** Returns a random prompt of `length` tokens. */
export function prompt(length: number, seed: number): number[] {
  const random = testRandom(seed);
  return Array.from({ length }, () => random.integer(CONFIG.vocab));
}

export async function openGenerator() {
  const run = await openRun(CONFIG, SEQUENCES);
  const parameters = testParameters(CONFIG, 21);
  run.policy.start(parameters);
  const generator = new Generator(run.policy);
  const tensors = referenceOf(CONFIG, parameters);
  const at = (sequence: number, position: number) => sequence * CONFIG.context + position;

  /** Empties the token table, then writes prompts to sequence rows. */
  const write = (prompts: ReadonlyMap<number, readonly number[]>) => {
    generator.table.fill(UNTOUCHED);
    for (const [sequence, tokens] of prompts) generator.table.set(tokens, at(sequence, 0));
  };

  /** Generates one turn without a cache: rollout r of `prompts` is generated in sequence row `row(r)`. */
  const generate = async (
    prompts: readonly (readonly number[])[],
    limit: number,
    settings: SamplingSettings,
    row = (rollout: number) => rollout,
    rollouts = prompts.map((_, rollout) => rollout),
  ) => {
    write(new Map(rollouts.map((rollout) => [row(rollout), prompts[rollout]])));
    const continuations = rollouts.map((rollout): Continuation => {
      return { sequence: row(rollout), rollout, length: prompts[rollout].length, cached: 0, limit };
    });
    const { tokens, sampled, lengths } = await generator.turn(run.recorder, continuations, settings);
    return continuations.map(({ sequence, rollout, length }, index) => {
      const draws = Array.from({ length: lengths[index] - length }, (_, i) => {
        const [logProb, entropy, watched] = sampled.subarray(4 * at(sequence, length + i));
        return { token: tokens[at(sequence, length + i)], logProb, entropy, watched };
      });
      return { rollout, draws, tokens: [...tokens.subarray(at(sequence, 0), at(sequence, lengths[index]))] };
    });
  };

  /** Computes the log-probabilities of the next token after `tokens` in float64. */
  const next = (tokens: readonly number[]) => {
    const { logits } = referenceForward(CONFIG, tensors, tokens);
    return logSoftmax(logits[tokens.length - 1]).logProbs;
  };

  return { ...run, generator, at, write, generate, next };
}

/**
 * Computes the sampling distribution in token order: log-probabilities divided by the temperature, restricted to the
 * most probable tokens, and normalised.
 */
export function drawn(logProbs: Float64Array, { temperature, topK, topP }: SamplingSettings): number[] {
  const weights = Array.from(logProbs, (logProb) => Math.exp(logProb / temperature));
  let candidates = weights.map((_, token) => token).sort((a, b) => weights[b] - weights[a]);
  if (topK > 0) candidates = candidates.slice(0, topK);
  const mass = (tokens: readonly number[]) => tokens.reduce((sum, token) => sum + weights[token], 0);
  if (topP < 1) {
    const goal = topP * mass(candidates);
    candidates = candidates.slice(
      0,
      candidates.findIndex((_, index) => mass(candidates.slice(0, index + 1)) >= goal) + 1,
    );
  }
  return weights.map((weight, token) => (candidates.includes(token) ? weight / mass(candidates) : 0));
}

/**
 * Computes Pearson's statistic of counts against probabilities, minus its degrees of freedom, in standard deviations: a
 * value above 4 is rare. Returns infinity if a token of probability 0 was counted. Tokens that are expected fewer than
 * five times form one bin.
 */
export function surprise(counts: readonly number[], probabilities: readonly number[]): number {
  const draws = counts.reduce((a, b) => a + b, 0);
  const common = probabilities.map((p) => p * draws >= 5);
  const together = (of: readonly number[]) => of.reduce((sum, value, i) => sum + (common[i] ? 0 : value), 0);
  const observed = [...counts.filter((_, i) => common[i]), together(counts)];
  const expected = [...probabilities.filter((_, i) => common[i]), together(probabilities)].map((p) => p * draws);
  if (counts.some((count, i) => count > 0 && probabilities[i] === 0)) return Number.POSITIVE_INFINITY;
  const bins = expected.filter((value) => value > 1e-6).length;
  const statistic = expected.reduce((sum, e, i) => sum + (e > 1e-6 ? (observed[i] - e) ** 2 / e : 0), 0);
  return (statistic - (bins - 1)) / Math.sqrt(2 * Math.max(1, bins - 1));
}
