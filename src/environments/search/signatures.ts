import { parseAnswer, parseSearch } from './grammar.ts';
import { isIgnoredToken, MARKUP, spell } from './vocabulary.ts';

/**
 * Returns the action of a turn, as a credit rule compares it (Turn.action). Thoughts and fillers are omitted. Queries
 * with the same bag of words are one action, because the retriever ignores the order. All malformed turns are one
 * action.
 *
 * Examples: `search e17 r3`, `answer v5`, `skip`, `malformed`.
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

/** Returns true if a turn without a well-formed call ends without an attempt at one. */
export function skips(tokens: readonly number[]): boolean {
  return !tokens.includes(MARKUP.search) && tokens.at(-1) === MARKUP.end;
}
