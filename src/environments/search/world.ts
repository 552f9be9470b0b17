import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Retriever } from './retriever.ts';
import { createRetriever } from './retriever.ts';
import { otherThan } from './script.ts';
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
  /** Value token that stands for it in the documents: the answer, or an outdated value. */
  readonly written: number;
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
  /** Share of the facts that are known closed-book, 0..1; with `known` "asked", of those that training asks about. */
  readonly knownShare: number;
  readonly known: 'any' | 'asked';
  /** Share of the facts that stand in the documents with another value than the right one, 0..1. */
  readonly stale: number;
  /** Facts in a document; the last one of an entity holds fewer where this does not divide 8. */
  readonly factsPerDocument: number;
}

/**
 * Draws a world. The number of draws does not depend on the settings, so one seed gives the same facts and the same
 * split whatever `knownShare` and `stale` are, and a larger share only adds known, or outdated, facts.
 */
export function createWorld({ worldSeed, knownShare, known: which, stale, factsPerDocument }: WorldSettings): World {
  const random = new CounterRandom(worldSeed, STREAMS.world);
  const values = Array.from({ length: FACTS }, () => FIRST_VALUE + random.integer(VALUES));
  const learned = random.permutation(FACTS);
  const order = random.permutation(FACTS);
  const heldOutCount = Math.floor(HELD_OUT_SHARE * FACTS);
  const heldOut = order.slice(0, heldOutCount);
  const shelves = Array.from({ length: ENTITIES }, () => random.permutation(RELATIONS));
  const outdated = new Set(random.permutation(FACTS).slice(0, Math.floor(stale * FACTS)));
  const others = values.map((value) => FIRST_VALUE + otherThan(random, VALUES, value - FIRST_VALUE));

  const isHeldOut = new Set(heldOut);
  const knowable = which === 'any' ? learned : learned.filter((fact) => !isHeldOut.has(fact));
  const known = knowable.slice(0, Math.floor(knownShare * knowable.length));
  const isKnown = new Set(known);
  const tasks = values.map((answer, fact) => ({
    fact,
    relation: fact % RELATIONS,
    entity: Math.floor(fact / RELATIONS),
    answer,
    written: outdated.has(fact) ? others[fact] : answer,
    known: isKnown.has(fact),
  }));

  const documents: Document[] = [];
  for (const [entity, relations] of shelves.entries()) {
    for (let start = 0; start < RELATIONS; start += factsPerDocument) {
      const part = relations.slice(start, start + factsPerDocument);
      const held = part.map((relation) => tasks[entity * RELATIONS + relation].written);
      documents.push({ tokens: documentTokens(entity, part, held), values: held });
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

/** Whether a document says something of the fact that a question is about, be it right or outdated. */
export function holdsFact({ tokens }: Document, { entity, relation }: SearchTask): boolean {
  return tokens[0] === FIRST_ENTITY + entity && tokens.includes(FIRST_RELATION + relation);
}
