import { FIRST_ENTITY, FIRST_FILLER, FIRST_RELATION, FIRST_VALUE, MARKUP, STOP_TOKENS } from './vocabulary.ts';

/** Result of parsing a turn: the value, or the reason of the failure. The reason follows "malformed call: ". */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: string };

const MAX_FILLERS = 4;
const MAX_QUERY_TOKENS = 4;

const fail = (reason: string): Parsed<never> => ({ ok: false, reason });
const isFiller = (token: number | undefined) => token !== undefined && token >= FIRST_FILLER && token < FIRST_RELATION;

/** Parses `<think> w{0..4} </think>`. Returns the index after it. */
export function parseReasoning(tokens: readonly number[]): Parsed<number> {
  if (tokens[0] !== MARKUP.think) return fail('it does not start with <think>');
  let next = 1;
  while (isFiller(tokens[next])) next++;
  if (next - 1 > MAX_FILLERS) return fail(`more than ${MAX_FILLERS} filler words`);
  if (tokens[next] !== MARKUP.thinkEnd) return fail('the thought is not closed by </think>');
  return { ok: true, value: next + 1 };
}

/**
 * Parses the start of a turn. A turn that reached its token limit has no stop token, so it is malformed regardless of
 * its text.
 */
function parseOpening(tokens: readonly number[]): Parsed<number> {
  const last = tokens.at(-1);
  if (last === undefined || !STOP_TOKENS.includes(last)) return fail('it reached the token limit');
  return parseReasoning(tokens);
}

/**
 * Parses `<think> w{0..4} </think> <search> x{1..4} </search>` and returns the query. x is any token except markup. The
 * function does not check the token limit of the turn.
 */
export function parseSearch(tokens: readonly number[]): Parsed<readonly number[]> {
  const reasoning = parseOpening(tokens);
  if (!reasoning.ok) return reasoning;
  if (tokens[reasoning.value] !== MARKUP.search) return fail('no <search> after the thought');
  if (tokens.at(-1) !== MARKUP.searchEnd) return fail('the query is not closed by </search>');
  const query = tokens.slice(reasoning.value + 1, -1);
  if (query.length === 0) return fail('the query is empty');
  if (query.length > MAX_QUERY_TOKENS) return fail(`the query has more than ${MAX_QUERY_TOKENS} tokens`);
  if (query.some((token) => token < FIRST_FILLER)) return fail('markup in the query');
  return { ok: true, value: query };
}

/** Parses `<think> w{0..4} </think> <answer> value </answer>`. Returns the value token. */
export function parseAnswer(tokens: readonly number[]): Parsed<number> {
  const reasoning = parseOpening(tokens);
  if (!reasoning.ok) return reasoning;
  const start = reasoning.value;
  if (tokens[start] !== MARKUP.answer) return fail('no <answer> after the thought');
  const value = tokens[start + 1];
  if (value === undefined || value < FIRST_VALUE) return fail('no value after <answer>');
  if (tokens.length !== start + 3 || tokens[start + 2] !== MARKUP.answerEnd) {
    return fail('the value is not followed by </answer>');
  }
  return { ok: true, value };
}

/**
 * Returns `<q> relation entity </q>`. Arguments are numbers, not tokens. With several hops the last relation is first,
 * as in "the birthplace of the teacher of Mira".
 * @param relations relations in the order in which they are followed
 */
export function questionTokens(relations: readonly number[], entity: number): number[] {
  const relationTokens = relations.toReversed().map((relation) => FIRST_RELATION + relation);
  return [MARKUP.question, ...relationTokens, FIRST_ENTITY + entity, MARKUP.questionEnd];
}

/** Returns the tokens that the environment writes between two turns. */
export function replyTokens(content: readonly number[]): number[] {
  return [MARKUP.information, ...content, MARKUP.informationEnd];
}

/** Tokens that decide in turn 1 to search, to skip the tool, or to answer. */
export const DECISION_TOKENS = { search: MARKUP.search, skip: MARKUP.end, answer: MARKUP.answer } as const;

/** Returns the index of the first decision token among the written tokens of turn 1; -1 if the turn has no such token. */
export function decisionIndex(tokens: readonly number[]): number {
  const deciding: readonly number[] = Object.values(DECISION_TOKENS);
  return tokens.findIndex((token) => deciding.includes(token));
}
