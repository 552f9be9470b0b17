import { describe, expect, it } from 'vitest';
import {
  FIRST_ENTITY,
  FIRST_RELATION,
  FIRST_VALUE,
  formatSearchTokens,
  isIgnoredToken,
  MARKUP,
  SEARCH_CODES,
  SEARCH_VOCABULARY,
  spell,
  tokenKind,
  VOCABULARY_SIZE,
} from '../../../../src/environments/search/vocabulary.ts';
import { createWorld, FACTS } from '../../../../src/environments/search/world.ts';

const settings = { worldSeed: 0, knownShare: 0.4, known: 'any', stale: 0, factsPerDocument: 4, hops: 1 } as const;
const world = createWorld(settings);

describe('vocabulary of Search', () => {
  it('the vocabulary of Search has 126 tokens of five kinds', () => {
    expect(VOCABULARY_SIZE).toBe(126);
    expect(new Set(SEARCH_VOCABULARY.names).size).toBe(126);
    const counts: Record<string, number> = {};
    for (let token = 0; token < 126; token++) {
      counts[tokenKind(token)] = (counts[tokenKind(token)] ?? 0) + 1;
    }
    expect(counts).toEqual({ markup: 14, filler: 8, relation: 8, entity: 48, value: 48 });
  });

  it('the vocabulary of Search has the token order of existing checkpoints', () => {
    expect(spell([0, 5, 11, 13, 14, 21, 22, 29, 30, 77, 78, 125])).toBe(
      '<pad> <search> <end> none w0 w7 r0 r7 e0 e47 v0 v47',
    );
  });

  it('each token of Search has a readable name and a short code that never changes', () => {
    expect(new Set(SEARCH_CODES).size).toBe(126);
    expect(formatSearchTokens([22, 30, 78])).toBe('born in Mira Oslo');
    expect(formatSearchTokens([0, 13, 14, 29, 77, 125])).toBe('<pad> none w0 travels to Tove Naples');
    const names = SEARCH_VOCABULARY.names.slice(FIRST_ENTITY);
    expect(names.filter((name) => !/^[A-Z][a-z]+$/.test(name))).toEqual([]);
  });

  it('tokenKind throws an error for numbers that are not tokens', () => {
    for (const token of [-1, 126, 1.5, Number.NaN]) expect(() => tokenKind(token)).toThrow(RangeError);
  });

  it('markup and fillers are stop words', () => {
    expect([MARKUP.none, 14, 21].every(isIgnoredToken)).toBe(true);
    expect([FIRST_RELATION, FIRST_ENTITY, FIRST_VALUE].some(isIgnoredToken)).toBe(false);
  });
});

describe('a Search world', () => {
  it('a Search world is determined by its seed', () => {
    const answers = (seed: number) => createWorld({ ...settings, worldSeed: seed }).tasks.map((task) => task.answer);
    expect(answers(0)).toEqual(world.tasks.map((task) => task.answer));
    const different = answers(1).filter((answer, fact) => answer !== world.tasks[fact].answer);
    expect(different.length).toBeGreaterThan(350); // 47 of 48 on average
  });

  it('a Search world splits its facts 75 to 25, without overlap', () => {
    expect(world.train).toHaveLength(288);
    expect(world.heldOut).toHaveLength(96);
    expect(new Set([...world.train, ...world.heldOut]).size).toBe(FACTS);
  });

  it('known facts have the configured share, and a larger share includes the facts of a smaller share', () => {
    const known = (knownShare: number) => createWorld({ ...settings, knownShare }).known;
    expect([0, 0.4, 0.75, 1].map((share) => known(share).length)).toEqual([0, 153, 288, 384]);
    expect(known(0.75).slice(0, 153)).toEqual(known(0.4));
    expect(world.tasks.filter((task) => task.known).map((task) => task.fact)).toEqual(
      world.known.toSorted((a, b) => a - b),
    );
  });

  it('facts and split of a Search world do not depend on other settings', () => {
    const changed = createWorld({ ...settings, knownShare: 1, factsPerDocument: 3 });
    expect(changed.tasks.map((task) => task.answer)).toEqual(world.tasks.map((task) => task.answer));
    expect(changed.heldOut).toEqual(world.heldOut);
  });

  it.each([
    [4, 96, [9, 9]],
    [3, 144, [7, 7, 5]],
  ])('each fact is in one document, with %i facts per document', (factsPerDocument, count, lengths) => {
    const { documents, tasks } = createWorld({ ...settings, factsPerDocument });
    expect(documents).toHaveLength(count);
    expect(documents.slice(0, lengths.length).map((document) => document.tokens.length)).toEqual(lengths);
    const written: string[] = [];
    for (const { tokens, values } of documents) {
      for (let at = 1; at < tokens.length; at += 2) written.push(spell([tokens[0], tokens[at], tokens[at + 1]]));
      expect(values).toEqual(tokens.filter((token) => token >= FIRST_VALUE));
    }
    const facts = tasks.map((task) => spell([FIRST_ENTITY + task.entity, FIRST_RELATION + task.relation, task.answer]));
    expect(written.toSorted()).toEqual(facts.toSorted());
  });

  it.each([4, 3])(
    'a query of relation and entity retrieves the document of each fact (%i facts per document)',
    (factsPerDocument) => {
      const { documents, retriever, tasks } = createWorld({ ...settings, factsPerDocument });
      for (const task of tasks) {
        const relation = FIRST_RELATION + task.relation;
        const entity = FIRST_ENTITY + task.entity;
        for (const query of [
          [relation, entity],
          [entity, relation],
        ]) {
          const { tokens } = documents[retriever.search(query) ?? -1];
          expect(tokens[0]).toBe(entity);
          expect(tokens[tokens.indexOf(relation) + 1]).toBe(task.answer);
        }
      }
    },
  );
});

describe('outdated documents', () => {
  const stale = createWorld({ ...settings, stale: 0.3 });
  const outdated = stale.tasks.filter(({ answer, written }) => answer !== written);

  it('outdated documents have other values for a share of the facts; facts and split do not change', () => {
    expect(stale.tasks.map(({ answer }) => answer)).toEqual(world.tasks.map(({ answer }) => answer));
    expect([stale.train, stale.heldOut, stale.known]).toEqual([world.train, world.heldOut, world.known]);
    expect(outdated).toHaveLength(Math.floor(0.3 * FACTS));
    expect(world.tasks.every(({ answer, written }) => answer === written)).toBe(true);
    const rendered = stale.documents.flatMap(({ tokens }) =>
      tokens.slice(1).flatMap((token, at) => (at % 2 === 0 ? [spell([tokens[0], token, tokens[at + 2]])] : [])),
    );
    const facts = stale.tasks.map(({ entity, relation, written }) =>
      spell([FIRST_ENTITY + entity, FIRST_RELATION + relation, written]),
    );
    expect(rendered.toSorted()).toEqual(facts.toSorted());
  });

  it('outdated values do not depend on their share, and a larger share includes a smaller share', () => {
    const all = createWorld({ ...settings, stale: 1 });
    expect(all.tasks.every(({ answer, written }) => answer !== written)).toBe(true);
    for (const { fact, written } of outdated) expect(all.tasks[fact].written).toBe(written);
    const more = createWorld({ ...settings, stale: 0.5 }).tasks.filter(({ answer, written }) => answer !== written);
    expect(more.map(({ fact }) => fact)).toEqual(expect.arrayContaining(outdated.map(({ fact }) => fact)));
  });
});

it('with known=asked, all known facts are facts of training questions', () => {
  const createKnownWorld = (knownShare: number) => createWorld({ ...settings, known: 'asked', knownShare });
  expect(createKnownWorld(1).known.toSorted((a, b) => a - b)).toEqual(
    createKnownWorld(1).train.toSorted((a, b) => a - b),
  );
  expect(createKnownWorld(0.5).known).toEqual(createKnownWorld(1).known.slice(0, 144));
  expect(createKnownWorld(1).heldOut.some((fact) => createKnownWorld(1).tasks[fact].known)).toBe(false);
});
