import { describe, expect, it } from 'vitest';
import { createSearchEnvironment } from '../../../../src/environments/search/open.ts';
import { SEARCH_CONTROLS } from '../../../../src/environments/search/searchSettings.ts';
import {
  FIRST_ENTITY,
  formatSearchTokens,
  SEARCH_CODES,
  spell,
} from '../../../../src/environments/search/vocabulary.ts';
import { defaults, ParameterError } from '../../../../src/parameters/parameters.ts';

const read = (text: string) => text.split(' ').map((name) => SEARCH_CODES.indexOf(name));
const environment = createSearchEnvironment();
const task = environment.world.tasks[17 * 8 + 3];
const right = spell([task.answer]);
const wrong = right === 'v0' ? 'v1' : 'v0';
const hit = read('<think> w0 </think> <search> r3 e17 </search>');
/** Index of an entity whose documents do not contain the answer, not even by coincidence. */
const missEntity =
  environment.world.documents.findIndex(
    (document, index) =>
      index % 2 === 0 && ![...document.values, ...environment.world.documents[index + 1].values].includes(task.answer),
  ) / 2;
const miss = read(`<think> w0 </think> <search> r3 e${missEntity} </search>`);
const begin = (controls = defaults(SEARCH_CONTROLS)) => environment.begin(task, controls);

describe('the first turn of Search', () => {
  it('a search that retrieves the answer has reward 0.5', () => {
    const result = begin().act(hit);
    expect(result.reward).toBeCloseTo(0.5, 12); // 0.2 executed + 0.3 retrieved + 0.1 format - 0.1 search
    expect(result.components).toEqual({ executed: 0.2, retrieved: 0.3, format: 0.1, skip: 0, searchCost: -0.1 });
    expect(result.facts).toEqual({ toolUse: 1, attempted: 1, retrieval: 1, searches: 1 });
    expect(result.summary).toBe(`searched “${formatSearchTokens(read('r3 e17'))}” — the document holds the answer`);
    const reply = spell(result.reply ?? []);
    expect(reply).toMatch(/^<information> e17( r\d v\d+){4} <\/information>$/);
    expect(reply).toContain(`r3 ${right}`);
    expect(result.outcome).toBeUndefined();
  });

  it('a search that does not retrieve the answer has reward 0.2', () => {
    const result = begin().act(miss);
    expect(result.reward).toBeCloseTo(0.2, 12); // 0.2 + 0.1 - 0.1
    expect(result.facts).toEqual({ toolUse: 1, attempted: 1, retrieval: 0, searches: 1 });
    expect(result.summary).toBe(
      `searched “${formatSearchTokens(read(`r3 e${missEntity}`))}” — the document lacks the answer`,
    );
  });

  it('a search without a result has only the reward of a valid call', () => {
    const result = begin().act(read('<think> </think> <search> w1 w2 </search>'));
    expect(result.reward).toBeCloseTo(0.2, 12);
    expect(spell(result.reply ?? [])).toBe('<information> none </information>');
    expect(result.summary).toBe('searched “w1 w2” — nothing found');
  });

  it.each([
    ['<think> w0 </think> <end>', 'none', 0, 'skipped the tool'],
    ['<think> w0 </think> <search> </search>', 'error', 1, 'malformed call: the query is empty'],
    ['<think> w0 <search> r3 e17 </search>', 'error', 1, 'malformed call: the thought is not closed by </think>'],
    ['<think> w0 </think> <search> r3 e17 <end>', 'error', 1, 'malformed call: the query is not closed by </search>'],
    ['<think> w0 w0 w0 w0 </think> <search> r3 e17 r3', 'error', 1, 'malformed call: it reached the token limit'],
    ['<think> w0 w0 w0 w0 w0 w0 w0 w0 w0', 'none', 0, 'malformed call: it reached the token limit'],
    [`<think> w0 </think> <answer> ${right} </answer>`, 'none', 0, 'malformed call: no <search> after the thought'],
  ])('the first turn "%s" has reward -0.2', (text, reply, attempted, summary) => {
    const result = begin().act(read(text));
    expect(result.reward).toBe(-0.2);
    expect(result.components).toEqual({ executed: 0, retrieved: 0, format: 0, skip: -0.2, searchCost: 0 });
    expect(spell(result.reply ?? [])).toBe(`<information> ${reply} </information>`);
    expect(result.facts).toEqual({ toolUse: 0, attempted, retrieval: 0, searches: 0 });
    expect(result.summary).toBe(summary);
  });
});

describe('the second turn of Search', () => {
  it.each([
    [
      `<think> w0 </think> <answer> ${right} </answer>`,
      1,
      'right',
      `answered ${formatSearchTokens(read(right))} — right`,
    ],
    [
      `<think> w0 </think> <answer> ${wrong} </answer>`,
      0.2,
      'wrong',
      `answered ${formatSearchTokens(read(wrong))} — wrong, it is ${formatSearchTokens([task.answer])}`,
    ],
    [`<think> w0 </think> <answer> ${right} <end>`, -1, 'malformed', undefined],
    [`<think> w0 w0 w0 w0 </think> <answer> ${right}`, -1, 'malformed', undefined],
    [
      '<think> w0 </think> <search> r3 e17 </search>',
      -1,
      'malformed',
      'malformed answer: no <answer> after the thought',
    ],
  ])('the second turn "%s" has outcome %d', (text, outcome, kind, summary) => {
    const episode = begin();
    episode.act(hit);
    const result = episode.act(read(text));
    expect(result.outcome).toBe(outcome);
    expect(result.components).toEqual({ right: 0, wrong: 0, malformed: 0, [kind]: outcome });
    expect(result.reward).toBe(0);
    expect(result.reply).toBeUndefined();
    expect(result.solved).toBe(kind === 'right');
    expect(result.facts).toMatchObject({
      answer: kind === 'right' ? 1 : 0,
      format: kind === 'malformed' ? 0 : 1,
      searches: 1,
    });
    if (summary) expect(result.summary).toBe(summary);
    expect(() => episode.act(hit)).toThrow(/over/);
  });
});

describe('controls of Search', () => {
  it('reward controls apply to one episode, so that they can change during a run', () => {
    const controls = {
      ...defaults(SEARCH_CONTROLS),
      rewardRetrieved: 1,
      searchCost: 0,
      outcomeRight: 2,
      rule: 'mt-grpo',
    };
    const episode = begin(controls);
    expect(episode.act(hit).reward).toBeCloseTo(1.3, 12);
    expect(episode.act(read(`<think> </think> <answer> ${right} </answer>`)).outcome).toBe(2);
    expect(begin().act(hit).reward).toBeCloseTo(0.5, 12);
    expect(Object.is(begin(controls).act(hit).components.searchCost, 0)).toBe(true); // no -0
  });

  it('invalid reward controls of Search throw an error', () => {
    expect(() => begin({ searchCost: 3 })).toThrow(ParameterError);
    expect(() => begin({ rewardSkip: 'much' })).toThrow(/rewardSkip/);
  });
});

describe('episodes of several searches', () => {
  const long = createSearchEnvironment({ maxTurns: 4 });
  const answer = read(`<think> w0 </think> <answer> ${right} </answer>`);
  const start = () => long.begin(long.world.tasks[task.fact], defaults(SEARCH_CONTROLS));

  it('with several searches, execution has no reward and each search costs more', () => {
    const episode = start();
    const rewards = [hit, hit, hit].map((tokens) => episode.act(tokens).reward);
    expect(rewards.map((reward) => reward.toFixed(12))).toEqual([0.3, 0.2, 0.1].map((reward) => reward.toFixed(12)));
    const result = episode.act(answer);
    expect(result).toMatchObject({ outcome: 1, facts: { searches: 3 } });
  });

  it('an episode of several searches ends with the first answer', () => {
    const episode = start();
    episode.act(hit);
    expect(episode.act(answer)).toMatchObject({ outcome: 1, solved: true, reward: 0 });
    expect(() => episode.act(hit)).toThrow(/over/);
    expect(start().act(answer).facts).toMatchObject({ answer: 1, searches: 0 });
  });

  it('an episode ends after a malformed answer, continues after a skip, and scores the last turn as an answer', () => {
    expect(start().act(read('<answer> v1 </answer>'))).toMatchObject({ outcome: -1 });
    const episode = start();
    for (let turn = 0; turn < 3; turn++) {
      const result = episode.act(read('<think> w0 </think> <end>'));
      expect(result).toMatchObject({ reward: -0.2, reply: read('<information> none </information>') });
    }
    expect(episode.act(hit)).toMatchObject({ outcome: -1, facts: { attempted: 1, searches: 0 } });
  });
});

describe('state and action of Search', () => {
  const question = 'r3 e17';
  const start = () => createSearchEnvironment({ maxTurns: 4 }).begin(task, defaults(SEARCH_CONTROLS));
  const signatures = (episode: ReturnType<typeof start>, text: string) => {
    const { state, action } = episode.act(read(text));
    return [state, action];
  };

  it('the state has the information that the policy received, and the action has its call or answer', () => {
    const episode = begin();
    const [state, action] = signatures(episode, '<think> w0 </think> <search> r3 e17 </search>');
    expect([state, action]).toEqual([question, 'search r3 e17']);
    const [after, answer] = signatures(episode, `<think> </think> <answer> ${right} </answer>`);
    expect(answer).toBe(`answer ${right}`);
    const document = Number(/^r3 e17 \| d(\d+)$/.exec(String(after))?.[1]);
    expect(Math.floor(document / 2)).toBe(17); // two documents per entity
    expect(environment.world.documents[document].values).toContain(task.answer);
  });

  it('states contain each reply, and distinguish an empty result from an error', () => {
    const episode = start();
    expect(signatures(episode, '<think> </think> <search> w1 w2 </search>')).toEqual([question, 'search']);
    expect(signatures(episode, '<think> </think> <search> </search>')).toEqual([`${question} | none`, 'malformed']);
    expect(signatures(episode, '<think> </think> <end>')).toEqual([`${question} | none | error`, 'skip']);
    expect(signatures(episode, '<think> w0 w0')).toEqual([`${question} | none | error | none`, 'malformed']);
  });

  it.each([
    ['<think> w0 w1 </think> <search> r3 e17 </search>', '<think> </think> <search> e17 w4 r3 </search>'],
    [`<think> w0 </think> <answer> v1 </answer>`, `<think> w1 w1 </think> <answer> v1 </answer>`],
    ['<think> w0 </think> <end>', 'w3 <end>'],
    ['<think> w0', '<think> w1 </think> <search> r3'],
  ])('state and action are equal for %s and %s', (first, second) => {
    expect(signatures(start(), first)).toEqual(signatures(start(), second));
  });

  it.each([
    ['<think> </think> <search> r3 e17 </search>', '<think> </think> <search> r3 r3 e17 </search>'],
    ['<think> </think> <search> r3 e17 </search>', '<think> </think> <search> r4 e17 </search>'],
    ['<think> </think> <answer> v1 </answer>', '<think> </think> <answer> v2 </answer>'],
    ['<think> </think> <end>', '<think> </think> <search> <end>'],
  ])('state and action differ for %s and %s', (first, second) => {
    expect(signatures(start(), first)).not.toEqual(signatures(start(), second));
  });
});

it('a fork of a Search episode continues from the same state, and does not change the original episode', () => {
  const environment = createSearchEnvironment({ maxTurns: 3 });
  const start = () => environment.begin(environment.world.tasks[17 * 8 + 3], defaults(SEARCH_CONTROLS));
  const [first, second] = [start(), start()];
  for (const episode of [first, second]) episode.act(hit);
  const fork = first.fork?.();
  expect(fork?.act(miss)).toEqual(second.act(miss));
  // The search of the fork does not count in the original episode.
  expect(first.act(hit).facts.searches).toBe(2);
  expect(fork?.act(hit)).toEqual(second.act(hit));
  expect(() => first.fork?.().act(hit)).not.toThrow();
  expect(() => fork?.fork?.().act(hit)).toThrow('the episode is over');
});

describe('a world with outdated documents', () => {
  const staleEnvironment = createSearchEnvironment({ stale: 0.3 });
  const createQuery = (relation: number, entity: number) =>
    read(`<think> w0 </think> <search> r${relation} e${entity} </search>`);
  const outdated = staleEnvironment.world.tasks.filter(({ entity, relation, answer, written }) => {
    const document = staleEnvironment.world.retriever.search(createQuery(relation, entity).slice(4, 6));
    return answer !== written && !staleEnvironment.world.documents[document ?? 0].values.includes(answer);
  });

  it('an outdated value has no retrieval reward and is reported', () => {
    const [task] = outdated;
    const result = staleEnvironment.begin(task, defaults(SEARCH_CONTROLS)).act(createQuery(task.relation, task.entity));
    expect(result.components).toMatchObject({ executed: 0.2, retrieved: 0 });
    expect(result.facts).toEqual({ toolUse: 1, attempted: 1, retrieval: 0, searches: 1, outdated: 1 });
    expect(result.summary).toBe(
      `searched “${formatSearchTokens(read(`r${task.relation} e${task.entity}`))}” — the document is out of date: it says ${formatSearchTokens([task.written])}, ` +
        `it is ${formatSearchTokens([task.answer])}`,
    );
    expect(spell(result.reply ?? [])).toContain(`r${task.relation} ${spell([task.written])}`);
  });

  it('a document about another person is reported without the answer, and not as outdated', () => {
    const [task] = outdated;
    const of = (entity: number) =>
      staleEnvironment.world.documents.filter(({ tokens }) => tokens[0] === FIRST_ENTITY + entity);
    const entities = staleEnvironment.world.tasks
      .map(({ entity }) => entity)
      .filter((entity) => entity !== task.entity);
    const without = entities.find((entity) => !of(entity).some(({ values }) => values.includes(task.answer)));
    const result = staleEnvironment
      .begin(task, defaults(SEARCH_CONTROLS))
      .act(createQuery(task.relation, without ?? task.entity));
    expect(result.summary).toContain('the document lacks the answer');
    expect(result.facts).not.toHaveProperty('outdated');
  });
});
