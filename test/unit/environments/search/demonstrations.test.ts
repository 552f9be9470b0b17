import { describe, expect, it } from 'vitest';
import type { Demonstration } from '../../../../src/environments/environment.ts';
import { createSearchEnvironment, type SearchEnvironment } from '../../../../src/environments/search/open.ts';
import {
  FIRST_VALUE,
  MARKUP,
  parseAnswer,
  parseSearch,
  spell,
} from '../../../../src/environments/search/vocabulary.ts';
import type { SearchTask } from '../../../../src/environments/search/world.ts';

const BATCHES = 64; // 4096 sequences: a share of 0.6 has a standard deviation of 0.008

interface Transcript {
  readonly task: SearchTask;
  /** Policy tokens of each turn. `replies` has the environment tokens between them. */
  readonly turns: readonly (readonly number[])[];
  readonly replies: readonly (readonly number[])[];
}

function transcript(environment: SearchEnvironment, { tokens }: Demonstration): Transcript {
  const [, relation, entity] = tokens;
  const turns: number[][] = [[]];
  const replies: number[][] = [];
  let inside = false;
  for (const token of tokens.slice(4)) {
    if (token === MARKUP.information) {
      inside = true;
      replies.push([]);
    }
    (inside ? replies : turns).at(-1)?.push(token);
    if (token === MARKUP.informationEnd) {
      inside = false;
      turns.push([]);
    }
  }
  return { task: environment.world.tasks[(entity - 30) * 8 + relation - 22], turns, replies };
}

function draw(environment: SearchEnvironment, stage: number): Demonstration[] {
  return Array.from({ length: BATCHES }, (_, step) => environment.warmStart[stage].demonstrations(step)).flat();
}

const share = <Item>(items: readonly Item[], holds: (item: Item) => boolean) =>
  items.filter(holds).length / items.length;
/** Expects a share of n draws within four standard deviations. One of 16,000 seeds fails by chance. */
function expectShare(measured: number, expected: number, n: number) {
  expect(Math.abs(measured - expected), `${measured} is not ${expected}`).toBeLessThan(
    4 * Math.sqrt((expected * (1 - expected)) / n),
  );
}

const environment = createSearchEnvironment();

describe('both warm-start stages of Search', () => {
  it('both warm-start stages of Search have the lengths and learning rates of the specification', () => {
    const numbers = environment.warmStart.map(({ steps, batch, learningRate, warmUpSteps }) => [
      steps,
      batch,
      learningRate,
      warmUpSteps,
    ]);
    expect(numbers).toEqual([
      [1200, 64, 3e-3, 30],
      [250, 64, 1e-3, 30],
    ]);
  });

  it.each([2, 4])('the lesson of stage A trains the value that a document contains (%i turns)', (maxTurns) => {
    const { lesson } = createSearchEnvironment({ maxTurns }).warmStart[0];
    if (!lesson) throw new Error('the lesson is missing');
    expect(lesson.demonstrations).toHaveLength(64);
    for (const { tokens, weights } of lesson.demonstrations) {
      const at = weights.indexOf(1);
      expect(weights.filter((weight) => weight !== 0)).toEqual([1]);
      expect(tokens.slice(at - 1, at + 2)).toEqual([MARKUP.answer, tokens[at], MARKUP.answerEnd]);
      // The document contains the value after the relation of the question.
      expect(tokens[tokens.lastIndexOf(tokens[1], at) + 1]).toBe(tokens[at]);
    }
  });

  it.each([0, 1])('demonstrations depend on the warm seed and the step (stage %i)', (stage) => {
    const reseeded = createSearchEnvironment({ warmSeed: 1 });
    const { demonstrations } = environment.warmStart[stage];
    expect(demonstrations(7)).toHaveLength(64);
    expect(demonstrations(7)).toEqual(createSearchEnvironment().warmStart[stage].demonstrations(7));
    expect(demonstrations(7)).not.toEqual(demonstrations(8));
    expect(demonstrations(7)).not.toEqual(reseeded.warmStart[stage].demonstrations(7));
  });

  it.each([2, 3, 4])('demonstrations fit into the context and the turn limits (%i turns)', (maxTurns) => {
    const env = createSearchEnvironment({ maxTurns });
    for (const demonstration of [...draw(env, 0), ...draw(env, 1)]) {
      const { turns } = transcript(env, demonstration);
      expect(demonstration.tokens.length).toBeLessThanOrEqual(env.context);
      expect(demonstration.weights).toHaveLength(demonstration.tokens.length);
      expect(demonstration.weights[0]).toBe(0);
      expect(turns.length).toBeLessThanOrEqual(maxTurns);
      expect(turns.every((tokens, turn) => tokens.length <= env.turnLimit(turn))).toBe(true);
    }
  });
});

describe('warm-start stage A of Search', () => {
  const sequences = draw(environment, 0);
  const transcripts = sequences.map((demonstration) => transcript(environment, demonstration));
  const reads = ({ turns }: Transcript) => parseSearch(turns[0]).ok;

  it('stage A reads a document in 60 % of the sequences, and recalls a fact in the others', () => {
    expectShare(share(transcripts, reads), 0.6, transcripts.length);
  });

  it('stage A answers from documents, whose values differ from the values of the world', () => {
    const reading = transcripts.filter(reads);
    for (const { task, turns, replies } of reading) {
      const answer = parseAnswer(turns[1]);
      const at = replies[0].indexOf(22 + task.relation);
      expect(replies[0]).toHaveLength(11);
      expect(replies[0][1]).toBe(30 + task.entity);
      expect(answer.ok && answer.value).toBe(replies[0][at + 1]);
    }
    // Equal to the value of the world only by chance, 1 in 48.
    expectShare(
      share(reading, ({ task, turns }) => turns[1].at(-2) === task.answer),
      1 / 48,
      reading.length,
    );
  });

  it('stage A recalls only known facts', () => {
    for (const { task, turns, replies } of transcripts.filter((item) => !reads(item))) {
      expect(task.known).toBe(true);
      expect(turns[0].at(-1)).toBe(MARKUP.end);
      expect(spell(replies[0])).toBe('<information> none </information>');
      expect(turns[1].at(-2)).toBe(task.answer);
    }
  });

  it('stage A has weight 4 on the answer, 0.5 on other policy tokens and 0.1 on the context', () => {
    for (const { tokens, weights } of sequences.slice(0, 200)) {
      let inside = true; // the prompt is context
      tokens.forEach((token, at) => {
        if (token === MARKUP.information) inside = true;
        const expected = at === tokens.length - 2 ? 4 : inside ? 0.1 : 0.5;
        if (at > 0) expect(weights[at]).toBe(expected);
        if (token === MARKUP.questionEnd || token === MARKUP.informationEnd) inside = false;
      });
    }
  });

  it('stage A only reads documents if no fact is known', () => {
    const ignorant = createSearchEnvironment({ knownShare: 0 });
    const batch = ignorant.warmStart[0].demonstrations(0).map((item) => transcript(ignorant, item));
    expect(share(batch, reads)).toBe(1);
  });
});

describe('warm-start stage B of Search', () => {
  const sequences = draw(environment, 1);
  const transcripts = sequences.map((demonstration) => transcript(environment, demonstration));
  const searching = transcripts.filter(({ turns }) => turns[0].includes(MARKUP.search));
  const called = searching.filter(({ turns }) => parseSearch(turns[0]).ok);
  const answered = (items: readonly Transcript[]) => items.filter(({ turns }) => parseAnswer(turns[1]).ok);
  const given = ({ turns }: Transcript) => turns[1].at(-2) ?? -1;

  it('stage B searches with probability 0.60, and 8 % of the calls are malformed', () => {
    expectShare(
      share(transcripts, (item) => searching.includes(item)),
      0.6,
      transcripts.length,
    );
    expectShare(1 - called.length / searching.length, 0.08, searching.length);
  });

  it('stage B writes the right query with probability 0.70, otherwise a wrong entity (60 %) or relation', () => {
    const queries = called.map(({ task, turns }) => {
      const [relation, entity] = turns[0].slice(-3, -1);
      return { relation: relation === 22 + task.relation, entity: entity === 30 + task.entity };
    });
    expectShare(
      share(queries, ({ relation, entity }) => relation && entity),
      0.7,
      queries.length,
    );
    const wrong = queries.filter(({ relation, entity }) => !relation || !entity);
    expectShare(
      share(wrong, ({ entity }) => !entity),
      0.6,
      wrong.length,
    );
    expect(wrong.some(({ relation, entity }) => !relation && !entity)).toBe(false);
  });

  it('stage B contains the replies of the environment', () => {
    for (const { task, turns, replies } of transcripts) {
      const { reply } = environment.begin(task, {}).act(turns[0]);
      expect(replies).toEqual([reply]);
    }
  });

  it('stage B answers from the document with probability 0.30, and otherwise by chance', () => {
    const answers = answered(called);
    // 0.3 of its values, and 0.7 of random ones, of which up to 4 in 48 are values of the document.
    const holds = share(answers, (item) => item.replies[0].includes(given(item)));
    expectShare(holds, 0.3 + (0.7 * 4) / 48, answers.length);
  });

  it.each([
    [0, 1],
    [1, 4 / 48],
  ])('stage B answers by chance at the rate of the setting hallucinate: %d', (hallucinate, expected) => {
    const env = createSearchEnvironment({ hallucinate });
    const items = draw(env, 1).map((item) => transcript(env, item));
    const read = answered(items.filter(({ turns }) => parseSearch(turns[0]).ok));
    expect(share(read, (item) => item.replies[0].includes(given(item)))).toBeCloseTo(expected, 1);
  });

  it('without a document, stage B recalls a known fact with probability 0.85, and guesses other facts', () => {
    const direct = answered(transcripts.filter((item) => !called.includes(item)));
    const known = direct.filter(({ task }) => task.known);
    const unknown = direct.filter(({ task }) => !task.known);
    expectShare(
      share(known, (item) => given(item) === item.task.answer),
      0.85 + 0.15 / 48,
      known.length,
    );
    expectShare(
      share(unknown, (item) => given(item) === item.task.answer),
      1 / 48,
      unknown.length,
    );
    expect(direct.every((item) => given(item) >= FIRST_VALUE)).toBe(true);
  });

  it('12 % of the stage B answers are malformed, both with and without a document', () => {
    const broken = ({ turns }: Transcript) => !parseAnswer(turns[1]).ok;
    const direct = transcripts.filter((item) => !called.includes(item));
    expectShare(share(called, broken), 0.12, called.length);
    expectShare(share(direct, broken), 0.12, direct.length);
  });

  it('stage B thinks 1, 2 or 3 words with equal probability', () => {
    const counts = transcripts.map(({ turns }) => turns[1].filter((token) => token >= 14 && token < 22).length);
    for (const count of [1, 2, 3])
      expectShare(
        share(counts, (value) => value === count),
        1 / 3,
        counts.length,
      );
  });

  it('stage B contains questions about all facts, including held-out facts', () => {
    expect(new Set(transcripts.map(({ task }) => task.fact)).size).toBe(384);
  });

  it('stage B has weight 1 on policy tokens and 0.1 on the context', () => {
    const { tokens, weights } = sequences[0];
    const start = tokens.indexOf(MARKUP.information);
    expect(weights.slice(0, 5)).toEqual([0, 0.1, 0.1, 0.1, 1]);
    expect(weights[start - 1]).toBe(1);
    expect(weights[start]).toBe(0.1);
    expect(weights.at(-1)).toBe(1);
  });
});

describe('warm-start stage B with several searches', () => {
  const env = createSearchEnvironment({ maxTurns: 4 });
  const transcripts = draw(env, 1).map((item) => transcript(env, item));
  const searches = transcripts.map(({ replies }) => replies.length);

  it('with several searches, stage B searches with probability 0.60, then again with 0.30, up to three times', () => {
    expectShare(
      share(searches, (count) => count > 0),
      0.6,
      searches.length,
    );
    const first = searches.filter((count) => count > 0);
    expectShare(
      share(first, (count) => count > 1),
      0.3,
      first.length,
    );
    const second = searches.filter((count) => count > 1);
    expectShare(
      share(second, (count) => count > 2),
      0.3,
      second.length,
    );
    expect(Math.max(...searches)).toBe(3);
  });

  it('with several searches, stage B contains the replies of the environment', () => {
    for (const { task, turns, replies } of transcripts) {
      const episode = env.begin(task, {});
      expect(replies.map((_, turn) => episode.act(turns[turn]).reply)).toEqual(replies);
    }
  });
});
