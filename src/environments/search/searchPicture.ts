import type { PicturedToken, PicturedTurn, TurnBox } from '../turnPicture.ts';

const textOf = (tokens: readonly PicturedToken[]) => tokens.map(({ text }) => text).join(' ');

/** Box of a turn of search: an executed search with its document, a skipped or malformed call, or the answer. */
export function searchBox({ turn, written, reply }: PicturedTurn): TurnBox {
  const [verb = ''] = (turn.action ?? '').split(' ');
  if (verb === 'skip') return { kind: 'skipped', text: 'from memory' };
  if (verb === 'answer') return { kind: 'plain', text: textOf(written.filter(({ kind }) => kind === 'value')) };
  if (verb !== 'search') {
    return turn.outcome === undefined
      ? { kind: 'malformed', text: 'broken call' }
      : { kind: 'malformed', text: 'broken answer' };
  }
  const query = written.filter(({ kind }) => kind === 'relation' || kind === 'entity');
  // A search for the question itself needs no words, and another one is of interest.
  const isQuestion = turn.action === `search ${turn.state}`;
  return { kind: 'action', text: isQuestion ? 'search' : textOf(query), reply: fact(query, reply) };
}

/** The document's value for the relation of a query. */
function fact(query: readonly PicturedToken[], document: readonly PicturedToken[]): string {
  const relation = query.find(({ kind }) => kind === 'relation');
  const at = document.findIndex(({ kind, text }) => kind === 'relation' && text === relation?.text);
  if (at >= 0) return document[at + 1]?.text ?? 'nothing';
  return document.some(({ kind }) => kind === 'relation') ? 'another fact' : 'nothing';
}
