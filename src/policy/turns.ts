// Turns of any generator: request, checks and result.

/** Settings of the draws of tokens. */
export interface SamplingSettings {
  readonly temperature: number;
  /** Probability mass of nucleus sampling; 1 disables it. */
  readonly topP: number;
  /** Number of most likely tokens to sample from; 0 disables the limit. */
  readonly topK: number;
  /** Tokens that end a turn, at most four. */
  readonly stopTokens: readonly number[];
  /** Token whose probability is saved at every draw, for example the token that starts a search. */
  readonly watch: number;
  readonly seed: number;
  readonly step: number;
}

/** Sequence that continues: tokens of the environment since its last turn, then the policy's turn. */
export interface Continuation {
  /** Row of the token table, and of the key-value cache. */
  readonly sequence: number;
  /** Index of the rollout in the batch, which keys the random draws. */
  readonly rollout: number;
  /** Number of tokens before this turn, including the environment's new tokens. */
  readonly length: number;
  /** Number of tokens in the cache: usually all except the last token that the policy wrote. */
  readonly cached: number;
  /** Maximum number of tokens that the policy may write now. At 0 the sequence and its cache are unchanged. */
  readonly limit: number;
}

/** Result of one turn of generation, for all sequences [sequences, context]. */
export interface Generated {
  readonly tokens: Uint32Array;
  /** Log-probability, entropy, probability of the watched token and an unused number per token. */
  readonly sampled: Float32Array;
  /** Number of tokens of each continuation after the turn [continuations]. */
  readonly lengths: readonly number[];
}

/** Returns true if the settings exclude tokens of the vocabulary from the draw. */
export function truncates({ topP, topK }: SamplingSettings, vocabulary: number): boolean {
  return topP < 1 || (topK > 0 && topK < vocabulary);
}

/** Checks the settings. @throws {RangeError} that names the invalid setting */
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

/** Checks a continuation. @throws {RangeError} that names the rollout that does not fit */
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
 * Returns the number of tokens of each continuation after its turn. A turn ends at its limit, at its first stop token,
 * or at the length that its first token determines.
 * @param tokens [sequences, context] @param turnLengths [vocabulary]
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
    const last = length + Math.min(limit, turnLengths?.[tokens[start + length]] ?? limit);
    let end = length;
    while (end < last && !stopTokens.includes(tokens[start + end])) end++;
    return Math.min(end + 1, last);
  });
}
