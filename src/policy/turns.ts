// Turns of any generator: request, checks and result.

/** Settings of the draws of tokens. */
export interface SamplingSettings {
  readonly temperature: number;
  /** 1 turns it off. */
  readonly topP: number;
  /** 0 turns it off. */
  readonly topK: number;
  /** At most four tokens that end a turn. */
  readonly stopTokens: readonly number[];
  /** Token whose probability is saved for every draw, for example the one that decides to search. */
  readonly watch: number;
  readonly seed: number;
  readonly step: number;
}

/** One sequence that continues: tokens that the environment wrote since its last turn, then the policy's turn. */
export interface Continuation {
  /** Row of the token table; also its place in the key-value cache. */
  readonly sequence: number;
  /** Number of the rollout in the whole batch; keys the random draws. */
  readonly rollout: number;
  /** Tokens known before this turn, the environment's new ones included. */
  readonly length: number;
  /** Number of them that the cache already holds: usually all except the last token that the policy wrote. */
  readonly cached: number;
  /** Most tokens that the policy may write now; with 0 the sequence is left alone, and its cache as it is. */
  readonly limit: number;
}

/** Result of one turn of generation, for all sequences [sequences, context]. */
export interface Generated {
  readonly tokens: Uint32Array;
  /** Four numbers a token: log-probability, entropy, probability of the watched token, unused. */
  readonly sampled: Float32Array;
  /** Per continuation: tokens known after the turn. */
  readonly lengths: readonly number[];
}

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
    const last = length + Math.min(limit, turnLengths?.[tokens[start + length]] ?? limit);
    let end = length;
    while (end < last && !stopTokens.includes(tokens[start + end])) end++;
    return Math.min(end + 1, last);
  });
}
