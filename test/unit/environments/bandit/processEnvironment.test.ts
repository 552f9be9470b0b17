import { describe, expect, test } from 'vitest';
import { BANDIT_SETTINGS } from '../../../../src/environments/bandit/banditSettings.ts';
import { PROCESSES } from '../../../../src/environments/bandit/decisionProcess.ts';
import { bandit } from '../../../../src/environments/bandit/index.ts';
import { environmentModule } from '../../../../src/environments/bandit/open.ts';
import { createProcessEnvironment } from '../../../../src/environments/bandit/processEnvironment.ts';
import type { CountedTurn, StepResult } from '../../../../src/environments/environment.ts';
import { rewardNotes } from '../../../../src/environments/notes.ts';
import { defaults } from '../../../../src/parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../../../src/random/counter.ts';

const NAMES = ['delayed', 'recovery', 'stopping'] as const;
type Name = (typeof NAMES)[number];

/** Plays an episode from the names of its actions. @param draw random number of the last turn, 0 to 1 */
function play(process: Name, actions: readonly string[], draw = 0): readonly StepResult[] {
  const environment = createProcessEnvironment({ process });
  const [task] = environment.sampleTasks(new CounterRandom(0, STREAMS.tasks), 1, 'train');
  const episode = environment.begin(task, {});
  return actions.map((action, at) =>
    episode.act([environment.vocabulary.names.indexOf(action)], at + 1 < actions.length ? 0 : draw),
  );
}

const namesOf = (process: Name, tokens: readonly number[] = []) =>
  tokens.map((token) => createProcessEnvironment({ process }).vocabulary.names[token]).join(' ');
const distracted = (first: string) => [first, ...Array.from({ length: 7 }, (_, at) => `DISTRACT_${at % 2}`)];

test('the setting process lists the payout tables and each decision process', () => {
  const setting = BANDIT_SETTINGS.find(({ name }) => name === 'process');
  expect(setting).toMatchObject({ default: 'two-turns', options: ['two-turns', ...Object.keys(PROCESSES)] });
  expect(bandit.worlds?.map(({ name }) => name)).toEqual(['two-turns', ...Object.keys(PROCESSES)]);
});

test('the bandit module opens the process of the settings, and the payout tables by default', async () => {
  const open = (settings: object) =>
    environmentModule.create({ ...defaults(BANDIT_SETTINGS), ...settings }, undefined, {
      execute: () => Promise.reject(new Error('nothing runs here')),
    });
  const [tables, stopping] = await Promise.all([open({}), open({ process: 'stopping' })]);
  expect([tables.maxTurns, stopping.maxTurns]).toEqual([2, 5]);
  expect(stopping.vocabulary.names).toEqual(['STOP', 'CONTINUE', 'alive', '</turn>']);
  expect(() => createProcessEnvironment({})).toThrow('process is two-turns, which is none of the decision processes');
});

describe('an episode of a decision process', () => {
  test.each([
    ['GOOD', 0.79, 1],
    ['GOOD', 0.81, 0],
    ['BAD', 0.19, 1],
    ['BAD', 0.21, 0],
  ] as const)('an episode of the delayed effect after %s with draw %d ends with outcome %d', (first, draw, outcome) => {
    const answers = play('delayed', distracted(first), draw);
    expect(answers.map((answer) => answer.outcome)).toEqual([...Array(7).fill(undefined), outcome]);
    expect(answers.map(({ reward }) => reward)).toEqual(Array(8).fill(0));
    expect(answers[7]).toMatchObject({ solved: outcome === 1, components: { outcome } });
    expect(answers[7].reply).toBeUndefined();
    expect(namesOf('delayed', answers[0].reply)).toBe(`${first.toLowerCase()} </turn>`);
    expect(answers[0].facts).toEqual({ good: first === 'GOOD' ? 1 : 0, return: 0 });
    expect(answers.map(({ state }) => state).slice(0, 3)).toEqual([
      'turn 1: start',
      `turn 2: ${first.toLowerCase()}`,
      `turn 3: ${first.toLowerCase()}`,
    ]);
  });

  test('the summary of an episode does not depend on its random draw, because a replay has no draw', () => {
    const [high, low] = [0, 0.99].map((draw) => play('delayed', distracted('GOOD'), draw));
    expect(high.map(({ summary }) => summary)).toEqual(low.map(({ summary }) => summary));
    expect(high[7].outcome).not.toBe(low[7].outcome);
  });

  test('an episode of recovery ends after GOOD, and can repair BAD', () => {
    expect(play('recovery', ['GOOD'])).toMatchObject([{ outcome: 1, solved: true, action: 'GOOD' }]);
    expect(play('recovery', ['BAD', 'RECOVER'])).toMatchObject([
      { state: 'turn 1: s0', summary: 'BAD in state s0' },
      { outcome: 1, facts: { recovered: 1, return: 1, solved: 1 }, state: 'turn 2: mistake' },
    ]);
    expect(play('recovery', ['BAD', 'GIVE_UP'])[1]).toMatchObject({ outcome: 0, solved: false });
  });

  test('an episode of stopping has the reward of its last turn, and each token stops in turn 5', () => {
    const stopped = (turns: number) => play('stopping', [...Array<string>(turns).fill('CONTINUE'), 'STOP']).at(-1);
    expect([0, 1, 2, 3, 4].map((turns) => stopped(turns)?.outcome)).toEqual([0, 2, 1, 3, 0]);
    expect(stopped(3)).toMatchObject({ solved: true, facts: { stop: 4 } });
    expect(play('stopping', Array<string>(5).fill('CONTINUE')).at(-1)).toMatchObject({ action: 'STOP', outcome: 0 });
  });

  test('an episode of a process cannot continue after its end, and a fork starts at the current state', () => {
    const environment = createProcessEnvironment({ process: 'recovery' });
    const episode = environment.begin({ process: 'recovery' }, {});
    episode.act([1]);
    const fork = episode.fork?.();
    expect(episode.act([0]).outcome).toBe(1);
    expect(() => episode.act([0])).toThrow('the episode is over');
    expect(fork?.act([1])).toMatchObject({ action: 'GIVE_UP', outcome: 0 });
  });
});

describe.each(NAMES)('the world %s', (process) => {
  const environment = createProcessEnvironment({ process });

  test('the vocabulary of a process has a token per action and state, and equally many tokens per action', () => {
    const { names, size, kind } = environment.vocabulary;
    expect([names.length, size % 4]).toEqual([size, 0]);
    const { start, actions } = PROCESSES[process];
    for (const [index, action] of actions(0, start).entries()) {
      const token = names.indexOf(action);
      expect([token % actions(0, start).length, kind(token)]).toEqual([index, 'action']);
    }
    expect(kind(names.indexOf(start))).toBe('state');
    expect(kind(size - 1)).toBe('markup');
    expect(() => kind(size)).toThrow(`${size} is not a token of the process (0 to ${size - 1})`);
  });

  test('the context of a process has room for its longest episode', () => {
    const [task] = environment.sampleTasks(new CounterRandom(0, STREAMS.tasks), 1, 'train');
    const longest = (turn: CountedTurn): number =>
      Math.max(...turn.results(1).map(({ next }) => (next ? longest(next) : turn.tokens.length + 1)));
    const first = environment.counted?.(task, {});
    if (!first) throw new Error('no counted turns');
    expect(first.tokens).toEqual(environment.prompt(task));
    expect(longest(first)).toBeLessThanOrEqual(environment.context);
  });

  test('counted turns list each result with its probability, reward and tokens, as in episodes', () => {
    const [task] = environment.sampleTasks(new CounterRandom(0, STREAMS.tasks), 1, 'train');
    const walk = (turn: CountedTurn, episode = environment.begin(task, {})) => {
      for (let token = 0; token < 2; token++) {
        const results = turn.results(token);
        expect(results.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 12);
        const fork = episode.fork?.() as typeof episode;
        const answer = fork.act([token]);
        const [{ next, reward }] = results;
        expect(next?.tokens).toEqual(answer.reply && [...turn.tokens, token, ...answer.reply]);
        expect(reward).toBe(answer.outcome ?? answer.reward);
        if (next) walk(next, fork);
      }
    };
    walk(environment.counted?.(task, {}) as CountedTurn);
  });

  test('notes state that reward controls have no effect in a process', () => {
    const used = { turns: true, outcome: true };
    const notes = rewardNotes('bandit', {}, { process }, used);
    expect(Object.keys(notes)).toEqual(bandit.rewards.map(({ name }) => name));
    expect(rewardNotes('bandit', {}, { process: 'two-turns' }, used)).toEqual({});
  });
});

test('no action changes the return after the first turn of the delayed effect, and in the last turn of stopping', () => {
  const idle = (process: Name, actions: readonly number[]) => {
    let turn = createProcessEnvironment({ process }).counted?.({ process }, {});
    for (const action of actions) turn = turn?.results(action)[0].next;
    return turn?.idle;
  };
  expect([idle('delayed', []), idle('delayed', [0]), idle('delayed', [1, 0, 1])]).toEqual([false, true, true]);
  expect([idle('recovery', []), idle('recovery', [1])]).toEqual([false, false]);
  expect([idle('stopping', [1, 1, 1]), idle('stopping', [1, 1, 1, 1])]).toEqual([false, true]);
});
