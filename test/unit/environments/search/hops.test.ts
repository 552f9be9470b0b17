import { describe, expect, it } from 'vitest';
import { createSearchEnvironment } from '../../../../src/environments/search/open.ts';
import { SEARCH_CONTROLS } from '../../../../src/environments/search/searchSettings.ts';
import {
  FIRST_LINK,
  FIRST_VALUE,
  MARKUP,
  SEARCH_CODES,
  spell,
} from '../../../../src/environments/search/vocabulary.ts';
import { defaults, ParameterError } from '../../../../src/parameters/parameters.ts';

const read = (text: string) => text.split(' ').map((name) => SEARCH_CODES.indexOf(name));
const [R, E] = [22, 30];
const two = createSearchEnvironment({ maxTurns: 4, hops: 2 });
const three = createSearchEnvironment({ maxTurns: 4, hops: 3 });
const call = (relation: number, entity: number) =>
  read(`<think> w0 </think> <search> r${relation} e${entity} </search>`);
const answer = (token: number) => [...read('<think> w0 </think> <answer>'), token, MARKUP.answerEnd];

describe('questions of several hops', () => {
  it.each([
    [2, two],
    [3, three],
  ])('each fact of a question names the person of the next fact, the last a value (%i hops)', (hops, env) => {
    for (const { path, answer: last, entity, fact } of env.world.tasks) {
      expect(path).toHaveLength(hops);
      expect(path[0].entity).toBe(entity);
      expect(entity).toBe(Math.floor(fact / 8));
      for (const [at, step] of path.slice(1).entries()) {
        expect(path[at].relation).toBeGreaterThanOrEqual(FIRST_LINK);
        expect(step.entity).toBe(path[at].answer - E);
        expect(step.entity).not.toBe(path[at].entity);
      }
      expect(path[hops - 1].relation).toBeLessThan(FIRST_LINK);
      expect(last).toBe(path[hops - 1].answer);
      expect(last).toBeGreaterThanOrEqual(FIRST_VALUE);
    }
    const paths = env.world.tasks.map(({ path }) => path.map(({ relation, entity }) => `${entity} ${relation}`).join());
    expect(new Set(paths).size).toBe(384);
  });

  it('a question of several hops is known if all its facts are known, and with known=asked only in training', () => {
    const single = createSearchEnvironment({ maxTurns: 4 });
    const known = new Set(single.world.known);
    for (const { path, known: isKnown } of two.world.tasks) {
      expect(isKnown).toBe(path.every(({ entity, relation }) => known.has(8 * entity + relation)));
    }
    expect(two.world.known.length / 384).toBeGreaterThan(0.1);
    expect(two.world.known.length / 384).toBeLessThan(0.22);
    const requested = createSearchEnvironment({ maxTurns: 4, hops: 2, known: 'asked', knownShare: 1 }).world;
    expect(requested.known.toSorted((a, b) => a - b)).toEqual(requested.train.toSorted((a, b) => a - b));
  });

  it('questions of two hops have the number, split and values of questions of one hop', () => {
    const single = createSearchEnvironment({ maxTurns: 4 });
    expect([two.world.train, two.world.heldOut]).toEqual([single.world.train, single.world.heldOut]);
    for (const { path } of two.world.tasks) {
      const { entity, relation, answer: value } = path[1];
      expect(value).toBe(single.world.tasks[8 * entity + relation].answer);
    }
  });

  it('the document of each hop is retrieved, although people also occur in other documents', () => {
    for (const { path } of three.world.tasks) {
      for (const { entity, relation, answer: result } of path) {
        const { tokens } = three.world.documents[three.world.retriever.search([R + relation, E + entity]) ?? -1];
        expect(tokens[0]).toBe(E + entity);
        expect(tokens[tokens.indexOf(R + relation) + 1]).toBe(result);
      }
    }
  });

  it('the prompt of several hops begins with the last relation, and the description with the first', () => {
    const task = two.world.tasks[137];
    const [first, last] = task.path;
    expect(spell(two.prompt(task))).toBe(`<q> r${last.relation} r${first.relation} e17 </q>`);
    expect(two.describe(task)).toMatch(/^Diego: (taught by|hired by|raised by|married to), [a-z ]+ in\?$/);
  });

  it('questions of several hops throw an error if maxTurns is below the number of hops plus one', () => {
    for (const [hops, maxTurns] of [
      [2, 2],
      [3, 3],
    ]) {
      const create = () => createSearchEnvironment({ hops, maxTurns });
      expect(create).toThrow(ParameterError);
      expect(create).toThrow(`maxTurns must be ${hops + 1} or more; it is ${maxTurns}`);
    }
  });

  it('outdated documents of two hops name another person instead of the right person', () => {
    const { world } = createSearchEnvironment({ maxTurns: 4, hops: 2, stale: 1 });
    for (const { path } of world.tasks) {
      expect(path[0].written).not.toBe(path[0].answer);
      expect(path[0].written).not.toBe(E + path[0].entity);
      expect(path[0].written).toBeGreaterThanOrEqual(E);
      expect(path[0].written).toBeLessThan(FIRST_VALUE);
    }
    const straight = createSearchEnvironment({ maxTurns: 4, hops: 2 }).world.tasks;
    expect(world.tasks.map(({ answer: value }) => value)).toEqual(straight.map(({ answer: value }) => value));
  });
});

describe('an episode of two hops', () => {
  const task = two.world.tasks[137];
  const [first, last] = task.path;
  const begin = () => two.begin(task, defaults(SEARCH_CONTROLS));
  const steps = [call(first.relation, first.entity), call(last.relation, last.entity)];

  it('an episode of two hops rewards each hop in its order', () => {
    const episode = begin();
    const [hop1, hop2] = steps.map((tokens) => episode.act(tokens));
    // 0.3 retrieved + 0.1 format - 0.1 per search so far. Execution has no reward if several searches are allowed.
    expect([hop1.reward, hop2.reward]).toEqual([expect.closeTo(0.3, 12), expect.closeTo(0.2, 12)]);
    expect(hop1.facts).toEqual({ toolUse: 1, attempted: 1, retrieval: 0, searches: 1, hops: 1 });
    expect(hop2.facts).toEqual({ toolUse: 1, attempted: 1, retrieval: 1, searches: 2, hops: 2 });
    expect(hop1.summary).toMatch(/— the document holds the next person, [A-Z][a-z]+$/);
    expect(hop2.summary).toMatch(/— the document holds the answer$/);
    const end = episode.act(answer(task.answer));
    expect([end.outcome, end.solved]).toEqual([1, true]);
  });

  it('an episode of two hops gives no reward for the second hop before the first, or for a repeated first hop', () => {
    const early = begin();
    const retrieved = two.world.documents[two.world.retriever.search([R + last.relation, E + last.entity]) ?? -1];
    expect(retrieved.values).not.toContain(first.answer);
    expect(early.act(steps[1]).components.retrieved).toBe(0);
    expect(early.act(steps[0]).components.retrieved).toBe(0.3);
    const again = begin();
    again.act(steps[0]);
    const result = again.act(steps[0]);
    expect(result.components.retrieved).toBe(0);
    expect(result.facts).toMatchObject({ retrieval: 0, hops: 1 });
  });

  it('a fork of a two-hop episode retains the search results, and states contain the whole question', () => {
    const episode = begin();
    expect(episode.act(steps[0]).state).toBe(`r${last.relation} r${first.relation} e17`);
    const fork = episode.fork?.();
    expect(fork?.act(steps[1]).facts).toMatchObject({ hops: 2 });
    expect(episode.act(steps[1]).facts).toMatchObject({ hops: 2 });
  });

  it('the summary of an outdated document names its person and the right person', () => {
    const stale = createSearchEnvironment({ maxTurns: 4, hops: 2, stale: 1 });
    const question = stale.world.tasks[137];
    const result = stale.begin(question, {}).act(call(question.relation, question.entity));
    expect(result.summary).toMatch(/out of date: it says [A-Z][a-z]+, it is [A-Z][a-z]+$/);
    expect(result.facts).toMatchObject({ outdated: 1, hops: 0 });
  });
});

describe('the warm start of three hops', () => {
  const sequences = (stage: number) =>
    [0, 1, 2, 3].flatMap((step) => [...three.warmStart[stage].demonstrations(step)]).map(({ tokens }) => tokens);

  it('warm-start sequences of three hops fit into the context and the turns', () => {
    for (const tokens of [...sequences(0), ...sequences(1)]) {
      expect(tokens.length).toBeLessThanOrEqual(three.context);
      expect(tokens.filter((token) => token === MARKUP.information).length).toBeLessThan(4);
    }
  });

  it('the lesson of three hops trains each token that must be read from a document', () => {
    const { lesson } = three.warmStart[0];
    for (const { tokens, weights } of lesson?.demonstrations ?? []) {
      const positions = weights.flatMap((weight, at) => (weight > 0 ? [at] : []));
      expect(positions).toHaveLength(3);
      const relations = tokens.slice(1, 4).toReversed();
      for (const [hop, at] of positions.entries()) {
        // The last retrieved document contains the token after the relation of its hop.
        const document = tokens.lastIndexOf(MARKUP.information, at);
        expect(tokens[tokens.indexOf(relations[hop], document) + 1]).toBe(tokens[at]);
        expect(tokens[at - 1]).toBe(hop === 2 ? MARKUP.answer : relations[hop + 1]);
      }
    }
    expect(lesson?.demonstrations).toHaveLength(64);
  });

  it('warm-start answers of three hops are values', () => {
    for (const tokens of sequences(1)) {
      const at = tokens.lastIndexOf(MARKUP.answer);
      if (at >= 0 && tokens[at + 2] === MARKUP.answerEnd) expect(tokens[at + 1]).toBeGreaterThanOrEqual(FIRST_VALUE);
    }
  });
});
