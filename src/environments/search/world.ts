import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Retriever } from './retriever.ts';
import { createRetriever } from './retriever.ts';
import {
  ENTITIES,
  FIRST_ENTITY,
  FIRST_RELATION,
  FIRST_VALUE,
  isStopWord,
  RELATIONS,
  VALUES,
  VOCABULARY_SIZE,
} from './vocabulary.ts';

/** Number of facts: one value for each entity and relation. */
export const FACTS = ENTITIES * RELATIONS;
const HELD_OUT_SHARE = 0.25;

/** One question: fact number `entity * 8 + relation`, the same numbers as its tokens, and the token that answers it. */
export interface SearchTask {
  readonly fact: number;
  readonly relation: number;
  readonly entity: number;
  /** Value token. */
  readonly answer: number;
  /** The warm start taught this fact closed-book. */
  readonly known: boolean;
}

/** `entity relation value relation value ...`, and what it holds. */
export interface Document {
  readonly tokens: readonly number[];
  /** Value tokens among them. */
  readonly values: readonly number[];
}

/** The knowledge base of one world seed. */
export interface World {
  /** [384]: the question about each fact. */
  readonly tasks: readonly SearchTask[];
  /** Fact numbers that training asks about (288), and those it never does (96). */
  readonly train: readonly number[];
  readonly heldOut: readonly number[];
  /** Fact numbers that the policy knows closed-book. */
  readonly known: readonly number[];
  readonly documents: readonly Document[];
  readonly factsPerDocument: number;
  /** BM25 over all tokens of the documents; markup and filler are stop words. */
  readonly retriever: Retriever;
}

export interface WorldSettings {
  readonly worldSeed: number;
  /** Share of the facts that are known closed-book, 0..1. */
  readonly knownShare: number;
  /** Facts in a document; the last one of an entity holds fewer where this does not divide 8. */
  readonly factsPerDocument: number;
}

/**
 * Draws a world. The number of draws does not depend on the settings, so one seed gives the same facts and the same
 * split whatever `knownShare` is, and a larger share only adds known facts.
 */
export function createWorld({ worldSeed, knownShare, factsPerDocument }: WorldSettings): World {
  const random = new CounterRandom(worldSeed, STREAMS.world);
  const values = Array.from({ length: FACTS }, () => FIRST_VALUE + random.integer(VALUES));
  const known = random.permutation(FACTS).slice(0, Math.floor(knownShare * FACTS));
  const order = random.permutation(FACTS);
  const heldOutCount = Math.floor(HELD_OUT_SHARE * FACTS);

  const isKnown = new Set(known);
  const tasks = values.map((answer, fact) => ({
    fact,
    relation: fact % RELATIONS,
    entity: Math.floor(fact / RELATIONS),
    answer,
    known: isKnown.has(fact),
  }));

  const documents: Document[] = [];
  for (let entity = 0; entity < ENTITIES; entity++) {
    const relations = random.permutation(RELATIONS);
    for (let start = 0; start < RELATIONS; start += factsPerDocument) {
      const part = relations.slice(start, start + factsPerDocument);
      const held = part.map((relation) => values[entity * RELATIONS + relation]);
      documents.push({ tokens: documentTokens(entity, part, held), values: held });
    }
  }

  return {
    tasks,
    train: order.slice(heldOutCount),
    heldOut: order.slice(0, heldOutCount),
    known,
    documents,
    factsPerDocument,
    retriever: createRetriever(
      documents.map((document) => document.tokens),
      VOCABULARY_SIZE,
      isStopWord,
    ),
  };
}

/** The tokens of a document; `values` are tokens, `entity` and `relations` numbers. */
export function documentTokens(entity: number, relations: readonly number[], values: readonly number[]): number[] {
  const facts = relations.flatMap((relation, index) => [FIRST_RELATION + relation, values[index]]);
  return [FIRST_ENTITY + entity, ...facts];
}
