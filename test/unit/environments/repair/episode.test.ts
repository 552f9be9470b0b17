import { describe, expect, it } from 'vitest';
import type { AnyEnvironment, StepResult } from '../../../../src/environments/environment.ts';
import { createRepairEnvironment } from '../../../../src/environments/repair/open.ts';
import { CONTEXT, PROGRAM_LIMIT, REPAIR_CONTROLS } from '../../../../src/environments/repair/repairSettings.ts';
import { loadProblems } from '../../../../src/environments/repair/repairTasks.ts';
import { spell, tokenNumber } from '../../../../src/environments/repair/vocabulary.ts';
import { defaults } from '../../../../src/parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../../../src/random/counter.ts';
import { policyFor } from '../../../../src/training/run/openEnvironment.ts';
import { FakePython, SUM_TASK, written } from './repairWorld.ts';

const RIGHT = 't = 0\nfor x in a:\n    if x > 5:\n        t += x\nreturn t';
const NEARLY = RIGHT.replace('>', '>=');
const problems = await loadProblems();
const controls = defaults(REPAIR_CONTROLS);

function world(settings = {}) {
  const python = new FakePython();
  const environment = createRepairEnvironment(settings, { execute: python.execute, problems, tasks: [SUM_TASK] });
  return { python, environment, begin: () => environment.begin(SUM_TASK, controls) };
}

describe('a turn of Repair', () => {
  it('a turn is rewarded with the share of tests that its program passes', async () => {
    const episode = world().begin();
    const result = await episode.act(written(NEARLY));
    expect(result.passed).toEqual([1, 1, 0, 1, 1, 1, 1, 0, 1, 1]);
    expect(result).toMatchObject({ reward: 0.8, solved: false, summary: 'passes 8 of 10 tests' });
    expect(result.outcome).toBeUndefined();
    expect(result.components).toEqual({ turn: 0.8, outcome: 0 });
    expect(result.facts).toMatchObject({ solved: 0, passRate: 0.8, partial: 1, none: 0, hidden: 0, syntaxError: 0 });
  });

  it('a turn is followed by a separate prompt with this attempt and the first failing test', async () => {
    const { prompt, reply } = await world().begin().act(written(NEARLY));
    expect(reply).toBeUndefined();
    expect(spell(prompt ?? [])).toBe(
      '<p> sum of above 5 def(a) <c> t = 0 NL for x in a IND if x >= 5 IND t += x DED DED return t ' +
        '<fb> in: [ 5 ] want 0 got 5 <c>',
    );
  });

  it('the prompt after a turn shows only the latest attempt', async () => {
    const episode = world({ maxTurns: 3 }).begin();
    await episode.act(written(NEARLY));
    const { prompt } = await episode.act(written('return 0'));
    expect(spell(prompt ?? [])).toBe('<p> sum of above 5 def(a) <c> return 0 <fb> in: [ 6 ] want 6 got 0 <c>');
  });

  it('an episode ends when all tests pass', async () => {
    const episode = world().begin();
    const result = await episode.act(written(RIGHT));
    expect(result).toMatchObject({ reward: 1, outcome: 1, solved: true, summary: 'passes all 10 tests' });
    expect(result.prompt).toBeUndefined();
    expect(result.facts).toMatchObject({ firstSolved: 1, repaired: 0, hidden: 1, visible: 1 });
    await expect(episode.act(written(RIGHT))).rejects.toThrow('the episode is over');
  });

  it('an episode ends after the maximum number of turns', async () => {
    const episode = world().begin();
    await episode.act(written('return 0'));
    const result = await episode.act(written(NEARLY));
    expect(result).toMatchObject({ reward: 0.8, outcome: 0, solved: false, components: { turn: 0, outcome: 0 } });
    expect(result.prompt).toBeUndefined();
    expect(result.detail?.feedback).toBeUndefined();
  });

  it('a right program after a wrong program counts as repaired', async () => {
    const episode = world().begin();
    await episode.act(written(NEARLY));
    expect((await episode.act(written(RIGHT))).facts).toMatchObject({ firstSolved: 0, repaired: 1 });
  });

  it('the detail of a turn shows program, tests and feedback in readable form', async () => {
    const { detail } = await world().begin().act(written(NEARLY));
    expect(detail?.program).toBe(
      'def f(a):\n    t = 0\n    for x in a:\n        if x >= 5:\n            t += x\n    return t\n',
    );
    expect(detail?.tests[2]).toEqual({ args: '[5]', expected: '0', got: '5', passed: false, visible: true });
    expect(detail?.tests[7]).toEqual({ args: '[5, 6, 5]', expected: '6', got: '16', passed: false, visible: false });
    expect(detail?.feedback).toBe('f([5]) should give 0 and gives 5');
  });

  it('a turn has its prompt as state and its program as action', async () => {
    const episode = world().begin();
    const first = await episode.act(written('return 0'));
    expect(first).toMatchObject({ state: '<p> sum of above 5 def(a) <c>', action: 'return 0' });
    const second = await episode.act(written(RIGHT));
    expect(second.state).toBe(spell(first.prompt ?? []));
  });
});

describe('invalid programs', () => {
  const runTurn = (tokens: readonly number[]) => world().begin().act(tokens);

  it('a program without an end token has reward 0', async () => {
    const result = await runTurn(written(RIGHT).slice(0, -1));
    expect(result).toMatchObject({
      reward: 0,
      solved: false,
      action: 'unfinished',
      summary: 'the program does not end',
    });
    expect(result.facts).toMatchObject({ unfinished: 1, syntaxError: 0, none: 1 });
    expect(spell(result.prompt ?? [])).toContain('return t <fb> in: [ ] want 0 got SyntaxError <c>');
  });

  it('a program that is empty or contains other tokens is a SyntaxError', async () => {
    for (const tokens of [written(''), [tokenNumber('want'), ...written('return 0')]]) {
      const result = await runTurn(tokens);
      expect(result).toMatchObject({ reward: 0, summary: 'not Python: SyntaxError' });
      expect(result.facts.syntaxError).toBe(1);
    }
  });

  it('exceptions and timeouts of a program are reported', async () => {
    expect((await runTurn(written('return x'))).detail?.tests[0].got).toBe('NameError');
    expect((await runTurn(written('while True:\n    t = 0'))).facts.timeout).toBe(1);
  });

  it('True is not accepted for 1, and False is not accepted for 0', async () => {
    expect((await runTurn(written('return True'))).passed).toEqual(Array.from({ length: 10 }, () => 0));
  });
});

describe('evaluations of Repair', () => {
  it('evaluations stop at the visible tests and show no hidden tests', async () => {
    const { environment } = world();
    const play = { mode: 'evaluate', maxTurns: 3 } as const;
    const guess = await environment.begin(SUM_TASK, controls, play).act(written('return sum(a[:2])'));
    // All four visible tests pass, two hidden ones do not.
    expect(guess.passed).toEqual([1, 1, 1, 1, 1, 1, 1, 0, 0, 1]);
    expect(guess).toMatchObject({ outcome: 0, solved: false });
    expect(guess.prompt).toBeUndefined();
    expect(guess.facts).toMatchObject({ visible: 1, hidden: 0 });
    const training = await environment.begin(SUM_TASK, controls).act(written('return sum(a[:2])'));
    expect(spell(training.prompt ?? [])).toContain('<fb> in: [ 5 6 5 ] want 6 got T9 9 <c>');
  });

  it('evaluations may have more turns than training', async () => {
    const episode = world().environment.begin(SUM_TASK, controls, { mode: 'evaluate', maxTurns: 3 });
    const results: StepResult[] = [];
    for (let turn = 0; turn < 3; turn++) results.push(await episode.act(written('return 0')));
    expect(results.map(({ prompt }) => prompt !== undefined)).toEqual([true, true, false]);
  });
});

describe('forks of a Repair episode', () => {
  it('forks of an episode continue from the same state, independently of each other', async () => {
    const root = world({ maxTurns: 3 }).begin();
    const { prompt } = await root.act(written(NEARLY));
    const [left, right] = [root.fork?.(), root.fork?.()];
    expect(await left?.act(written(RIGHT))).toMatchObject({ solved: true, state: spell(prompt ?? []) });
    expect(await right?.act(written('return 0'))).toMatchObject({ solved: false });
    expect((await right?.act(written('return 0')))?.outcome).toBe(0);
    expect(await root.act(written(RIGHT))).toMatchObject({ solved: true });
  });
});

describe('rewards of Repair', () => {
  it('turnReward=solved gives a failed program reward 0, and outcomeReward=pass-rate its pass rate', async () => {
    const { environment } = world({ maxTurns: 1 });
    const swapped = { turnReward: 'solved', outcomeReward: 'pass-rate' };
    const wrong = await environment.begin(SUM_TASK, swapped).act(written(NEARLY));
    expect(wrong).toMatchObject({ reward: 0, outcome: 0.8, components: { turn: 0, outcome: 0.8 } });
    expect(await environment.begin(SUM_TASK, swapped).act(written(RIGHT))).toMatchObject({ reward: 1, outcome: 1 });
    expect(() => environment.begin(SUM_TASK, { turnReward: 'all' })).toThrow('one of pass-rate, solved');
  });

  it('with turnReward=none, all turns have reward 0 and only the outcome counts', async () => {
    const begin = () => world({ maxTurns: 2 }).environment.begin(SUM_TASK, { turnReward: 'none' });
    const nothing = { reward: 0, components: { turn: 0, outcome: 0 } };
    const repaired = begin();
    expect(await repaired.act(written(NEARLY))).toMatchObject(nothing);
    expect(await repaired.act(written(RIGHT))).toMatchObject({
      reward: 0,
      outcome: 1,
      components: { turn: 0, outcome: 1 },
    });
    const failed = begin();
    await failed.act(written(NEARLY));
    expect(await failed.act(written(NEARLY))).toMatchObject({ ...nothing, outcome: 0 });
  });
});

describe('running programs', () => {
  it('all turns of a tick run as one batch, and equal programs run once', async () => {
    const { python, environment, begin } = world();
    await Promise.all([NEARLY, RIGHT, NEARLY, 'return 0', RIGHT].map((source) => begin().act(written(source))));
    expect(python.batches.map((batch) => batch.length)).toEqual([3]);
    await Promise.all([begin().act(written(RIGHT)), begin().act(written('return x'))]);
    expect(python.batches.map((batch) => batch.length)).toEqual([3, 1]);
    expect(environment.runner).toMatchObject({ requestCount: 7, run: 4 });
  });

  it('equal programs run separately for tasks with different tests', async () => {
    const { environment } = world();
    const shorter = { ...SUM_TASK, tests: SUM_TASK.tests.slice(0, 5) };
    const both = [SUM_TASK, shorter].map((task) => environment.begin(task, controls).act(written(RIGHT)));
    expect((await Promise.all(both)).map(({ passed }) => passed?.length)).toEqual([10, 5]);
  });

  it('an execution request contains inputs and no expected values', async () => {
    const { python, begin } = world();
    await begin().act(written('return 0'));
    expect(python.batches[0][0]).toEqual({
      program: 'def f(a):\n    return 0\n',
      entry: 'f',
      inputs: SUM_TASK.tests.map(({ args }) => args),
      fuel: 2000,
    });
  });

  it('a program runs again after a run that failed because of the worker', async () => {
    let lost = true;
    const python = new FakePython();
    const environment = createRepairEnvironment(
      {},
      {
        problems,
        execute: async (batch) => {
          if (lost) throw new Error('the worker was lost');
          return python.execute(batch);
        },
      },
    );
    await expect(environment.begin(SUM_TASK, controls).act(written(RIGHT))).rejects.toThrow('the worker was lost');
    lost = false;
    expect((await environment.begin(SUM_TASK, controls).act(written(RIGHT))).solved).toBe(true);
  });
});

describe('the Repair environment', () => {
  it('the Repair environment has room for two programs and a network of three layers', () => {
    const { environment } = world();
    expect(environment).toMatchObject({ context: CONTEXT, maxTurns: 2, network: { layers: 3, dim: 64, heads: 4 } });
    expect(environment.turnLimit(0)).toBe(PROGRAM_LIMIT);
    expect(environment.describe(SUM_TASK)).toBe('List: sum of numbers above 5');
    expect(spell(environment.prompt(SUM_TASK))).toBe('<p> sum of above 5 def(a) <c>');
  });

  it('tasks are drawn from their split, and are equal for equal keys', () => {
    const environment = createRepairEnvironment({}, { execute: new FakePython().execute, problems });
    const draw = (seed: number, split: 'train' | 'held-out') =>
      environment.sampleTasks(new CounterRandom(seed, STREAMS.tasks), 50, split);
    expect(draw(0, 'train').some(({ heldOut }) => heldOut)).toBe(false);
    expect(draw(0, 'held-out').every(({ heldOut }) => heldOut)).toBe(true);
    expect(draw(3, 'train')).toEqual(draw(3, 'train'));
    expect(draw(3, 'train')).not.toEqual(draw(4, 'train'));
    expect(() => world().environment.sampleTasks(new CounterRandom(0, 2), 1, 'held-out')).toThrow('heldOut');
  });

  it('trainProblems selects nested subsets of the training problems, which differ between worlds', () => {
    const parts = { execute: new FakePython().execute, problems };
    const drawn = (settings: { trainProblems?: number; worldSeed?: number }, split: 'train' | 'held-out' = 'train') =>
      new Set(
        createRepairEnvironment(settings, parts)
          .sampleTasks(new CounterRandom(0, STREAMS.tasks), 6000, split)
          .map(({ id }) => id),
      );
    const [some, more, all] = [75, 150, 0].map((trainProblems) => drawn({ trainProblems }));
    expect([some.size, more.size, all.size]).toEqual([75, 150, 607]);
    for (const id of some) expect(more.has(id)).toBe(true);
    expect(drawn({ trainProblems: 75, worldSeed: 1 })).not.toEqual(some);
    expect(drawn({ trainProblems: 75 }, 'held-out')).toEqual(drawn({}, 'held-out'));
    expect(drawn({ trainProblems: 1000 })).toEqual(all);
  });

  it('width and warmSteps set the width of the network and the length of the warm start', () => {
    const { environment } = world({ width: '32', warmSteps: 450 });
    expect(environment.network).toEqual({ layers: 3, dim: 32, heads: 4, ffDim: 88 });
    expect(environment.warmStart.map(({ steps }) => steps)).toEqual([450]);
    expect(policyFor(environment as unknown as AnyEnvironment)).toMatchObject({ dim: 32, ffDim: 88, heads: 4 });
  });

  it('easyTests appends easy tests to the ten tests', () => {
    const parts = { execute: new FakePython().execute, problems };
    const easy = createRepairEnvironment({ easyTests: 3 }, parts).tasks;
    const plain = createRepairEnvironment({}, parts).tasks;
    expect(plain.every(({ tests }) => tests.length === 10)).toBe(true);
    const index = problems.findIndex(({ easyTests }) => easyTests.length === 4);
    expect(easy[index].tests).toEqual([...problems[index].tests, ...problems[index].easyTests.slice(0, 3)]);
  });

  it('invalid settings of Repair throw an error', () => {
    expect(() => world({ repairShare: 1.5 })).toThrow('a number from 0 to 1');
    expect(() => world({ nonsense: 1 })).toThrow('unknown parameter "nonsense"');
  });
});
