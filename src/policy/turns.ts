import type { Continuation, SamplingSettings } from './generator.ts';

// Checks and lengths of turns that every generator shares.

/** True if these settings keep any token of the vocabulary from being drawn. */
export function truncates({ topP, topK }: SamplingSettings, vocabulary: number): boolean {
  return topP < 1 || (topK > 0 && topK < vocabulary);
}

/** @throws {RangeError} naming the setting that cannot be */
export function checkSampling({ temperature, topP, topK, stopTokens }: SamplingSettings): void {
  const need = (ok: boolean, field: string, must: string) => {
    if (!ok) throw new RangeError(`sampling.${field}: ${must}`);
  };
  need(
    temperature > 0 && temperature < Infinity,
    'temperature',
    `${temperature} must be above 0; for greedy draws set topK to 1`,
  );
  need(topP > 0 && topP <= 1, 'topP', `${topP} must be above 0 and at most 1`);
  need(Number.isInteger(topK) && topK >= 0, 'topK', `${topK} must be a whole number, 0 for no limit`);
  need(stopTokens.length <= 4, 'stopTokens', `there are ${stopTokens.length}, at most 4 are possible`);
}

/** @throws {RangeError} naming the rollout that does not fit */
export function checkContinuation(
  { sequence, rollout, length, cached, limit }: Continuation,
  sequences: number,
  context: number,
): void {
  if (length + limit <= context && cached < length && sequence < sequences) return;
  throw new RangeError(
    `rollout ${rollout}: ${length} tokens (${cached} cached) and ${limit} to come do not fit sequence ${sequence} ` +
      `of ${sequences} and a context of ${context}`,
  );
}

/**
 * Tokens of each continuation that are known after its turn: up to its limit, its first stop token, or the length that its first token
 * says. @param tokens [sequences, context] @param turnLengths [vocabulary]
 */
export function lengthsAfter(
  continuations: readonly Continuation[],
  tokens: Uint32Array,
  context: number,
  stopTokens: readonly number[],
  turnLengths?: readonly number[],
): number[] {
  return continuations.map(({ sequence, length, limit }) => {
    const start = sequence * context;
    const most = length + Math.min(limit, turnLengths?.[tokens[start + length]] ?? limit);
    let end = length;
    while (end < most && !stopTokens.includes(tokens[start + end])) end++;
    return Math.min(end + 1, most);
  });
}
