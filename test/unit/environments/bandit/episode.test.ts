import { describe, expect, test } from 'vitest';
import { bandit } from '../../../../src/environments/bandit/index.ts';
import { createBanditEnvironment } from '../../../../src/environments/bandit/open.ts';
import { actionOf, BANDIT_VOCABULARY, EFFECTS, type Effect } from '../../../../src/environments/bandit/payoutTable.ts';
import type { StepResult } from '../../../../src/environments/environment.ts';
import { countEpisodes } from '../../../../src/environments/fact.ts';
import { defaults } from '../../../../src/parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../../../src/random/counter.ts';

const environment = createBanditEnvironment();
const controls = defaults(environment.controls);
const [task] = environment.sampleTasks(new CounterRandom(3, STREAMS.tasks), 1, 'train');
const first = (effect: Effect) => task.table.effects.indexOf(effect);
const { right } = task.table;
const wrong = (right + 1) % 3;
const spell = (tokens: readonly number[] = []) => tokens.map((token) => BANDIT_VOCABULARY.names[token]).join(' ');

/** Plays an episode with these actions and returns the results of its turns. */
function play(effect: Effect, second: number, rewards: object = {}): [StepResult, StepResult] {
  const episode = environment.begin(task, { ...controls, ...rewards });
  return [episode.act([first(effect)]), episode.act([second])];
}

describe('an episode of the bandit', () => {
  test.each([
    ['enabled', right, 0.3, 1, true],
    ['enabled', wrong, 0.3, 0, false],
    ['spoiled', right, 0.2, 0, false],
    ['nothing', right, 0, 0.2, false],
    ['nothing', wrong, 0, 0, false],
  ] as const)('effect %s and action %d give reward %d and outcome %d', (effect, second, reward, outcome, solved) => {
    const [initial, two] = play(effect, second);
    expect([initial.reward, initial.outcome, two.reward, two.outcome, two.solved]).toEqual([
      reward,
      undefined,
      0,
      outcome,
      solved,
    ]);
    const sum = (components: Readonly<Record<string, number>>) =>
      Object.values(components).reduce((total, part) => total + part, 0);
    expect([sum(initial.components), sum(two.components)]).toEqual([reward, outcome]);
    expect(Number(initial.facts.return) + Number(two.facts.return)).toBe(reward + outcome);
  });

  test('an episode reports the effect of the first action, and ends with the second action', () => {
    const [initial, two] = play('enabled', right);
    expect(spell(initial.reply)).toBe('enabled </turn>');
    expect([two.reply, two.prompt]).toEqual([undefined, undefined]);
    const episode = environment.begin(task, controls);
    episode.act([0]);
    episode.act([0]);
    expect(() => episode.act([0])).toThrow('the episode is over');
  });

  test('the state contains only the table and the reported effect, so that rollouts share states', () => {
    const [initial, two] = play('nothing', wrong);
    const table = `t${task.table.index}`;
    expect([initial.state, two.state]).toEqual([table, `${table} | nothing`]);
    expect([initial.action, two.action]).toEqual(['abc'[first('nothing')], 'abc'[wrong]]);
  });

  test('a fork of an episode does not affect the original episode', () => {
    const episode = environment.begin(task, controls);
    episode.act([first('enabled')]);
    const fork = episode.fork?.();
    expect(fork?.act([right])).toMatchObject({ outcome: 1 });
    expect(episode.act([wrong])).toMatchObject({ outcome: 0 });
  });

  test('an episode of the bandit fits into its context', () => {
    const [{ reply = [] }] = play('spoiled', right);
    expect(environment.prompt(task).length + 1 + reply.length + 1).toBeLessThanOrEqual(environment.context);
  });
});

test('every token represents an action, and each action has the same number of tokens', () => {
  const actions = BANDIT_VOCABULARY.names.map((_, token) => actionOf(token));
  expect([0, 1, 2].map((action) => actions.filter((entry) => entry === action).length)).toEqual([4, 4, 4]);
  expect(
    BANDIT_VOCABULARY.names.map((_, token) => BANDIT_VOCABULARY.kind(token)).filter((kind) => kind === 'effect'),
  ).toHaveLength(EFFECTS.length);
  expect(() => BANDIT_VOCABULARY.kind(12)).toThrow('12 is not a token');
});

describe('a world of the bandit', () => {
  test('a bandit world is drawn from its seed, and each table has one bait and one key', () => {
    const tables = (worldSeed: number) => createBanditEnvironment({ tables: 4, worldSeed }).tables;
    expect(tables(1)).toEqual(tables(1));
    expect([0, 1, 2].map((seed) => JSON.stringify(tables(seed)))).toEqual([
      ...new Set([0, 1, 2].map((seed) => JSON.stringify(tables(seed)))),
    ]);
    for (const { effects } of tables(7)) expect([...effects].sort()).toEqual([...EFFECTS].sort());
  });

  test('an earned outcome occurs with the chance of the bandit world, equally for all rollouts of a task', () => {
    const stochastic = createBanditEnvironment({ tables: 1, chance: 0.25 });
    const [table] = stochastic.tables;
    const outcomes = stochastic.sampleTasks(new CounterRandom(0, STREAMS.tasks), 4000, 'train').map((sampled) => {
      const rewards = [0, 1].map(() => {
        const episode = stochastic.begin(sampled, controls);
        episode.act([table.effects.indexOf('enabled')]);
        return episode.act([table.right]).outcome;
      });
      expect(rewards[0]).toBe(rewards[1]);
      return rewards[0] ?? Number.NaN;
    });
    // 0.25 within five standard errors of 4,000 draws.
    const mean = outcomes.reduce((sum, outcome) => sum + outcome, 0) / outcomes.length;
    expect(Math.abs(mean - 0.25)).toBeLessThan((5 * Math.sqrt(0.25 * 0.75)) / Math.sqrt(4000));
  });

  test('outcomeRange returns the best and the worst outcome of an episode', () => {
    expect(environment.outcomeRange(controls)).toEqual({ bestOutcome: 1, worstOutcome: 0 });
    const range = environment.outcomeRange({ ...controls, outcomePrize: -1, outcomeCrumb: 0.5 });
    expect(range).toEqual({ bestOutcome: 0.5, worstOutcome: -1 });
  });
});

test('bandit facts are shares of episodes and their mean return, under the declared names', () => {
  const trajectories = [
    play('enabled', right),
    play('enabled', wrong),
    play('spoiled', right),
    play('nothing', wrong),
  ].map((turns) => ({ group: 0, turns: turns.map((turn, index) => ({ ...turn, forestTurn: index })) }));
  const facts = countEpisodes(bandit.facts, { trajectories });
  expect(facts).toMatchObject({ key: 0.5, bait: 0.25, right: 0.5, solved: 0.25 });
  // (1.3 + 0.3 + 0.2 + 0) / 4
  expect(facts.return).toBeCloseTo(0.45, 12);
  const counted = bandit.facts.filter((fact) => 'ofEpisodes' in fact);
  expect(Object.keys(facts)).toEqual(counted.map(({ name }) => name));
  expect(countEpisodes(bandit.facts, { trajectories: [] }).key).toBeNull();
});
