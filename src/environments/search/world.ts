import { integerPower, log } from '../../numbers/exponential.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Vocabulary } from '../environment.ts';
import {
  ENTITIES,
  FIRST_ENTITY,
  FIRST_LINK,
  FIRST_RELATION,
  FIRST_VALUE,
  isIgnoredToken,
  LINKED_VOCABULARY,
  questionTokens,
  RELATIONS,
  SEARCH_VOCABULARY,
  VALUES,
  VOCABULARY_SIZE,
} from './vocabulary.ts';

/** Search engine that returns the best document for a query. */
export interface Retriever {
  readonly documents: number;
  /**
   * Returns the BM25 score of one query token in one document; 0 for stop words and if the document lacks the token.
   */
  score(token: number, document: number): number;
  /**
   * Returns the index of the document with the largest summed score, or the lowest index in a tie. Returns undefined if
   * no query token occurs in any document. A token that occurs twice in the query counts twice.
   */
  search(query: readonly number[]): number | undefined;
}

/** K1 is the saturation of the term frequency. B is the influence of the document length. */
const K1 = 1.2;
const B = 0.75;

/**
 * Creates a BM25 retriever (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009).
 * The inverse document frequency is ln(1 + (D - df + 0.5) / (df + 0.5)), which is never negative:
 *
 *     score(t, d) = idf(t) tf (K1 + 1) / (tf + K1 (1 - B + B |d| / mean |d|))
 *
 * The documents never change, so every score is computed once, in a [vocabulary, documents] table.
 */
export function createRetriever(
  documents: readonly (readonly number[])[],
  vocabularySize: number,
  isStopTerm: (token: number) => boolean = () => false,
): Retriever {
  const count = documents.length;
  const frequency = new Uint32Array(vocabularySize * count);
  let total = 0;
  documents.forEach((document, index) => {
    total += document.length;
    for (const token of document) frequency[token * count + index]++;
  });
  const meanLength = total / count;

  const scores = new Float64Array(vocabularySize * count);
  for (let token = 0; token < vocabularySize; token++) {
    if (isStopTerm(token)) continue;
    const row = frequency.subarray(token * count, (token + 1) * count);
    const matches = row.reduce((sum, tf) => sum + (tf > 0 ? 1 : 0), 0);
    const idf = log(1 + (count - matches + 0.5) / (matches + 0.5));
    row.forEach((tf, index) => {
      const lengthNorm = 1 - B + (B * documents[index].length) / meanLength;
      if (tf > 0) scores[token * count + index] = (idf * tf * (K1 + 1)) / (tf + K1 * lengthNorm);
    });
  }

  return {
    documents: count,
    score: (token, document) => scores[token * count + document],
    search(query) {
      let best: number | undefined;
      let bestScore = 0;
      for (let document = 0; document < count; document++) {
        let sum = 0;
        for (const token of query) sum += scores[token * count + document];
        if (sum > bestScore) {
          best = document;
          bestScore = sum;
        }
      }
      return best;
    },
  };
}

/** Number of facts: one value for each pair of entity and relation. */
export const FACTS = ENTITIES * RELATIONS;
const HELD_OUT_SHARE = 0.25;

/** Value of one relation of an entity. `relation` and `entity` are numbers, not tokens. */
export interface Fact {
  readonly relation: number;
  readonly entity: number;
  /** Token of the right value, or of an entity if the relation leads to people. */
  readonly answer: number;
  /** Token of the value in the documents: the right value or an outdated value. */
  readonly written: number;
}

/** Question. `relation` and `entity` belong to its first fact, `answer` and `written` to its last fact. */
export interface SearchTask extends Fact {
  /** Number of the question. With one hop it is the number of its fact: `entity * 8 + relation`. */
  readonly fact: number;
  /**
   * Facts that lead to the answer, in order. The answer of each fact is the entity of the next. With one hop there is
   * one fact.
   */
  readonly path: readonly Fact[];
  /** True if the warm start taught this answer closed-book. */
  readonly known: boolean;
}

/** Document with the tokens `entity relation value relation value ...`. */
export interface Document {
  readonly tokens: readonly number[];
  /** Tokens after its relations: value tokens, or entity tokens for relations that lead to people. */
  readonly values: readonly number[];
}

/** Knowledge base of one world seed. */
export interface World {
  /** Questions, [384]: one for each fact. With several hops, the same number begins at each entity. */
  readonly tasks: readonly SearchTask[];
  /**
   * Numbers of the training questions (288). `heldOut` has the numbers of the questions that training never uses (96).
   */
  readonly train: readonly number[];
  readonly heldOut: readonly number[];
  /** Numbers of the questions that the policy can answer closed-book. */
  readonly known: readonly number[];
  readonly documents: readonly Document[];
  readonly factsPerDocument: number;
  /**
   * BM25 retriever over all tokens of the documents. Markup and filler are stop words. With several hops, the documents
   * of one person also contain other people. The first token, the person that a document is about, then counts twice.
   */
  readonly retriever: Retriever;
  /** Displayed names of the tokens. */
  readonly vocabulary: Vocabulary;
}

export interface WorldSettings {
  readonly worldSeed: number;
  /**
   * Share of the facts that are known closed-book, 0 to 1. With `known` "asked", it is a share of the facts of training
   * questions. A question of several hops is known if all its facts are known and, with "asked", if it is a training
   * question.
   */
  readonly knownShare: number;
  readonly known: 'any' | 'asked';
  /** Share of the facts that have a wrong value in the documents, 0 to 1. */
  readonly stale: number;
  /** Number of facts in a document. The last document of an entity has fewer if this number does not divide 8. */
  readonly factsPerDocument: number;
  /** Number of facts that lead from a question to its answer, 1 to 3. */
  readonly hops: number;
}

/**
 * Draws a world. The number of draws does not depend on the settings. One seed therefore has the same facts and the
 * same split for all values of `knownShare` and `stale`, and a larger share only adds known or outdated facts. With
 * several hops, the relations from FIRST_LINK on lead to people. The other relations keep the values that they have
 * with one hop.
 */
export function createWorld(settings: WorldSettings): World {
  const { worldSeed, knownShare, known: selection, stale, factsPerDocument, hops } = settings;
  const random = new CounterRandom(worldSeed, STREAMS.world);
  const values = Array.from({ length: FACTS }, () => FIRST_VALUE + random.integer(VALUES));
  const learned = random.permutation(FACTS);
  const order = random.permutation(FACTS);
  const heldOutCount = Math.floor(HELD_OUT_SHARE * FACTS);
  const heldOut = order.slice(0, heldOutCount);
  const shelves = Array.from({ length: ENTITIES }, () => random.permutation(RELATIONS));
  const outdated = new Set(random.permutation(FACTS).slice(0, Math.floor(stale * FACTS)));
  const alternatives = values.map((value) => FIRST_VALUE + drawExcept(random, VALUES, value - FIRST_VALUE));

  const facts = values.map((value, fact): Fact => {
    const [relation, entity] = [fact % RELATIONS, Math.floor(fact / RELATIONS)];
    const [answer, alternative] = isLink(relation, hops) ? linked(random, entity) : [value, alternatives[fact]];
    return { relation, entity, answer, written: outdated.has(fact) ? alternative : answer };
  });
  const paths = hops === 1 ? facts.map((fact) => [fact]) : drawPaths(random, facts, hops);

  const isHeldOut = new Set(heldOut);
  const mayBeKnown = (question: number) => selection === 'any' || !isHeldOut.has(question);
  const knowable = hops === 1 ? learned.filter(mayBeKnown) : learned;
  const knownFacts = knowable.slice(0, Math.floor(knownShare * knowable.length));
  const known = hops === 1 ? knownFacts : findKnownPaths(paths, new Set(knownFacts)).filter(mayBeKnown);
  const isKnown = new Set(known);
  const tasks = paths.map((path, fact): SearchTask => {
    const { answer, written } = path[path.length - 1];
    return { ...path[0], answer, written, path, fact, known: isKnown.has(fact) };
  });

  const documents: Document[] = [];
  for (const [entity, relations] of shelves.entries()) {
    for (let start = 0; start < RELATIONS; start += factsPerDocument) {
      const part = relations.slice(start, start + factsPerDocument);
      const storedValues = part.map((relation) => facts[entity * RELATIONS + relation].written);
      documents.push({ tokens: documentTokens(entity, part, storedValues), values: storedValues });
    }
  }

  return {
    tasks,
    train: order.slice(heldOutCount),
    heldOut,
    known,
    documents,
    factsPerDocument,
    retriever: createRetriever(
      documents.map(({ tokens }) => (hops > 1 ? [tokens[0], ...tokens] : tokens)),
      VOCABULARY_SIZE,
      isIgnoredToken,
    ),
    vocabulary: hops > 1 ? LINKED_VOCABULARY : SEARCH_VOCABULARY,
  };
}

/** Returns a random number in [0, bound) that differs from `number`. */
export const drawExcept = (random: CounterRandom, bound: number, number: number) =>
  (number + 1 + random.integer(bound - 1)) % bound;

/** Returns true if a relation leads to people. */
export function isLink(relation: number, hops: number): boolean {
  return hops > 1 && relation >= FIRST_LINK;
}

/**
 * Draws the person that a relation leads to, and another person for an outdated document. Returns two entity tokens,
 * neither of which is the entity itself.
 */
function linked(random: CounterRandom, entity: number): [answer: number, other: number] {
  const answer = drawExcept(random, ENTITIES, entity);
  const candidates = Array.from({ length: ENTITIES }, (_, index) => index).filter(
    (candidate) => candidate !== entity && candidate !== answer,
  );
  return [FIRST_ENTITY + answer, FIRST_ENTITY + candidates[random.integer(candidates.length)]];
}

/** Draws the questions of several hops: from each entity, 8 different paths over people to a value. */
function drawPaths(random: CounterRandom, facts: readonly Fact[], hops: number): Fact[][] {
  const links = RELATIONS - FIRST_LINK;
  return Array.from({ length: ENTITIES }, (_, entity) =>
    random
      .permutation(FIRST_LINK * integerPower(links, hops - 1))
      .slice(0, RELATIONS)
      .map((pathIndex) => follow(facts, entity, relationsOf(pathIndex, hops))),
  ).flat();
}

/** Returns the numbers of the questions whose facts are all known. */
function findKnownPaths(paths: readonly (readonly Fact[])[], facts: ReadonlySet<number>): number[] {
  return paths.flatMap((path, question) =>
    path.every(({ entity, relation }) => facts.has(entity * RELATIONS + relation)) ? [question] : [],
  );
}

/** Returns the relations of a path by its number. The last relation leads to a value, the others to people. */
function relationsOf(pathIndex: number, hops: number): number[] {
  const links = RELATIONS - FIRST_LINK;
  const over = Array.from(
    { length: hops - 1 },
    (_, hop) => FIRST_LINK + (Math.floor(pathIndex / integerPower(links, hop)) % links),
  );
  return [...over, Math.floor(pathIndex / integerPower(links, hops - 1))];
}

function follow(facts: readonly Fact[], start: number, relations: readonly number[]): Fact[] {
  let entity = start;
  return relations.map((relation) => {
    const fact = facts[entity * RELATIONS + relation];
    entity = fact.answer - FIRST_ENTITY;
    return fact;
  });
}

/** Returns the tokens of a document. `values` are tokens; `entity` and `relations` are numbers. */
export function documentTokens(entity: number, relations: readonly number[], values: readonly number[]): number[] {
  const facts = relations.flatMap((relation, index) => [FIRST_RELATION + relation, values[index]]);
  return [FIRST_ENTITY + entity, ...facts];
}

/** Returns the tokens of a question. */
export function questionOf({ path, entity }: SearchTask): number[] {
  return questionTokens(
    path.map(({ relation }) => relation),
    entity,
  );
}

/** Returns true if a document contains a fact with the right or an outdated value. */
export function containsFact({ tokens }: Document, { entity, relation }: Fact): boolean {
  return tokens[0] === FIRST_ENTITY + entity && tokens.includes(FIRST_RELATION + relation);
}
