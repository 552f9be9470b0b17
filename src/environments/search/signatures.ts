import { parseAnswer, parseSearch } from './grammar.ts';
import { isIgnoredToken, MARKUP, spell } from './vocabulary.ts';

/**
 * Action of a turn, as a credit rule compares it (Turn.action): the thought and the fillers are left out. Queries that
 * are the same for the retriever, which reads a query as a bag of words, are one action; so are all malformed turns.
 * `search e17 r3`, `answer v5`, `skip` or `malformed`.
 */
export function actionSignature(tokens: readonly number[]): string {
  const call = parseSearch(tokens);
  if (call.ok) {
    const terms = call.value.filter((token) => !isIgnoredToken(token)).sort((a, b) => a - b);
    return ['search', ...terms.map((token) => spell([token]))].join(' ');
  }
  const answer = parseAnswer(tokens);
  if (answer.ok) return `answer ${spell([answer.value])}`;
  return skips(tokens) ? 'skip' : 'malformed';
}

/** True if a turn that holds no well-formed call ends without having tried one. */
export function skips(tokens: readonly number[]): boolean {
  return !tokens.includes(MARKUP.search) && tokens.at(-1) === MARKUP.end;
}
