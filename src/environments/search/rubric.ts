import type { WrittenTurn } from '../environment.ts';
import { parseAnswer, parseSearch } from './grammar.ts';
import { skips } from './signatures.ts';
import { FIRST_ENTITY, FIRST_RELATION, MARKUP, tokenKind } from './vocabulary.ts';
import { containsFact, type Fact, type SearchTask } from './world.ts';

// Criteria from the true state of a turn, by which a judge is trained. The rubric follows Wei et al. (2025, arXiv
// 2505.11821, §5.3 and appendix C.2). Their judge scores the format of every turn, the contribution of a search, and
// the answer. Each criterion has the same weight here. The rubric does not penalize searches: their cost remains part
// of the environment's rewards.

type Turn = WrittenTurn<SearchTask>;

/** Preference of a biased judge, as text after "it likes". */
export const LEAN = 'answers without a search';

/** Returns true if a turn ends its episode. Other turns can search. */
export function isAnswer({ stepResult }: Pick<Turn, 'stepResult'>): boolean {
  return stepResult.outcome !== undefined;
}

/** Returns the share of the criteria that a turn meets: 0, 1/3, 2/3 or 1. */
export function rubricScore(turn: Turn): number {
  const met = isAnswer(turn) ? answerCriteria(turn) : searchCriteria(turn);
  return met.filter(Boolean).length / met.length;
}

/**
 * Returns the score of a biased judge: (1 - bias) times the rubric score, plus bias for a turn without a lookup. Such a
 * turn skips the search, or answers without a document.
 */
export function leaningScore(turn: Turn, bias: number): number {
  return (1 - bias) * rubricScore(turn) + bias * Number(hasNoLookup(turn));
}

/**
 * Returns three criteria: the call is well-formed, it contains only the person of the next fact, and it contains only
 * the relation of that fact.
 */
function searchCriteria({ task, before, written }: Turn): readonly boolean[] {
  const call = parseSearch(written);
  if (!call.ok) return [false, false, false];
  const { entity, relation } = nextFact(task, documentsIn(before));
  const names = (kind: string, token: number) => {
    const named = call.value.filter((candidate) => tokenKind(candidate) === kind);
    return named.length === 1 && named[0] === token;
  };
  return [true, names('entity', FIRST_ENTITY + entity), names('relation', FIRST_RELATION + relation)];
}

/** Returns three criteria: the answer is well-formed, a document states it for the question, and it is right. */
function answerCriteria({ task, before, written }: Turn): readonly boolean[] {
  const answer = parseAnswer(written);
  if (!answer.ok) return [false, false, false];
  const requestedFact = task.path[task.path.length - 1];
  const statesAnswer = (document: readonly number[]) =>
    containsFact({ tokens: document, values: [] }, requestedFact) &&
    document[document.indexOf(FIRST_RELATION + requestedFact.relation) + 1] === answer.value;
  return [true, documentsIn(before).some(statesAnswer), answer.value === task.answer];
}

function hasNoLookup(turn: Turn): boolean {
  if (!isAnswer(turn)) return skips(turn.written);
  return parseAnswer(turn.written).ok && documentsIn(turn.before).length === 0;
}

/**
 * Returns the next fact on the path to the answer that no document has contained yet. Returns the last fact if
 * documents have contained all facts.
 */
function nextFact({ path }: SearchTask, documents: readonly (readonly number[])[]): Fact {
  const last = path.length - 1;
  const position = documents.reduce(
    (at, [, ...facts]) => (facts.includes(path[at].answer) ? Math.min(at + 1, last) : at),
    0,
  );
  return path[position];
}

/** Returns the documents in the context of the policy. Each begins with the person that it is about. */
function documentsIn(observed: readonly number[]): readonly (readonly number[])[] {
  const replies = [...observed.keys()].filter((at) => observed[at] === MARKUP.information);
  return replies
    .map((at) => observed.slice(at + 1, observed.indexOf(MARKUP.informationEnd, at)))
    .filter(([about = MARKUP.none]) => tokenKind(about) === 'entity');
}
