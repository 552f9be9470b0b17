import { afterAll, describe, expect, it, vi } from 'vitest';
import type { StepResult } from '../../../../src/environments/environment.ts';
import type { RepoEpisode } from '../../../../src/environments/repo/episode.ts';
import { GRANULARITIES, REPO_CONTROLS } from '../../../../src/environments/repo/repoSettings.ts';
import { spell } from '../../../../src/environments/repo/vocabulary.ts';
import { defaults, ParameterError } from '../../../../src/parameters/parameters.ts';
import type { ToolDetail } from '../../../../src/rollouts/rolloutBatch.ts';
import { FIX_SPAN, FIX_TOP, PROBLEM, read, startPython, worldOf } from './repoWorld.ts';

// Programs run slowly if other tests use the machine.
vi.setConfig({ testTimeout: 60_000 });

const python = await startPython();
const world = await worldOf(python.execute);
const controls = defaults(REPO_CONTROLS);
afterAll(() => python.close());

const begin = (changed = {}) => world.begin(PROBLEM, { ...controls, ...changed });

/** Plays several turns and returns their results. */
async function play(episode: RepoEpisode, ...actions: readonly string[]): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const action of actions) results.push(await episode.act(read(action)));
  return results;
}

const reply = ({ reply }: StepResult) => spell(reply ?? []);

/** Returns the lines of an answer. Marked tokens have angle brackets and the first letter of their mark. */
const lines = (tool: ToolDetail | undefined) =>
  tool?.answer.map((spans) => spans.map(({ text, mark }) => (mark ? `<${mark[0]}:${text}>` : text)).join(''));

describe('a problem of Repository', () => {
  it('the prompt of a problem contains the issue and the files', () => {
    expect(spell(world.prompt(PROBLEM))).toBe('<issue> top low <repo> app.py base.py core.py lib.py <a>');
    expect(world.describe(PROBLEM)).toBe('Bug: top returns too low a value');
  });
});

describe('a valid action', () => {
  it.each([
    ['view core.py full', 'top m= min (x) | return_m + k', 'viewed core.py'],
    ['view core.py p1', 'm= min (x)', 'viewed statement 1 of core.py'],
    ['view app.py p2', 'return_a + clip', 'viewed statement 2 of app.py'],
    ['search top', 'app.py core.py', 'searched for top: app.py, core.py'], // app.py calls it
    ['search k', 'core.py', 'searched for k: core.py'],
    ['search app', 'app.py', 'searched for app: app.py'],
    ['search power', 'none', 'searched for power: nothing'],
    [FIX_TOP, 'ok', 'changed min to max in core.py'],
    ['modify core.py k top', 'ok', 'changed k to top in core.py'],
    ['create ops.py', 'ok', 'created ops.py'],
    ['execute app.py', '8', 'ran app.py: 8'], // min 1 + 3, and clip 4
    ['execute core.py', 'ok', 'ran core.py'],
    ['test', 'fail top low', 'ran the tests: top([1, 5], 2) gives 3, wanted 7'],
    ['think', '', 'thought'],
  ])('the valid action "%s" has the reply "%s"', async (action, answer, summary) => {
    const step = await begin().act(read(action));
    expect(reply(step)).toBe(['<o>', answer, '<a>'].filter((part) => part !== '').join(' '));
    expect(step).toMatchObject({ reward: 0.02, components: { valid: 0.02, invalid: 0 }, summary });
    expect(step.facts.invalid).toBe(0);
    expect(step.outcome).toBeUndefined();
  });

  it.each([
    [[FIX_TOP], 'big', 'ok'], // 8 + 4
    [['modify app.py + -', 'modify core.py + -'], 'neg', 'ok'], // (1 - 3) - 4
    [['modify core.py (x) (y)'], 'crash', 'error'], // y is not defined
    [['modify core.py (x) k'], 'crash', 'error'], // invalid Python
  ])('execute runs the example after the edits %s', async (edits, feedback, result) => {
    const episode = begin();
    await play(episode, ...edits);
    const step = await episode.act(read('execute app.py'));
    expect(reply(step)).toBe(`<o> ${feedback} <a>`);
    expect(step.action).toBe(`execute@app.py:${result}`);
    expect(step.reward).toBe(0.02);
  });
});

describe('effects of a step on the repair', () => {
  it.each([
    [['view core.py full'], { shown: 1 }],
    [['view core.py p1'], { shown: 1 }],
    [['view core.py p2'], {}],
    [['view base.py full'], {}],
    [[FIX_TOP], { changed: 1, fixed: 1 }],
    [['modify core.py min sum'], { changed: 1 }],
    [['modify core.py k top'], { changed: 1, spoiled: 1 }],
    [[FIX_TOP, 'view core.py full'], {}],
    [['modify core.py min ok'], {}],
    [['test'], {}],
  ])('a step reports its effect on the repair after %s', async (actions, expected) => {
    const { facts } = (await play(begin(), ...actions)).at(-1) as StepResult;
    const did = Object.entries(facts).filter(([fact]) => ['changed', 'fixed', 'spoiled', 'shown'].includes(fact));
    expect(Object.fromEntries(did)).toEqual(expected);
  });
});

describe('an invalid action', () => {
  it.each([
    ['view ops.py full', 'viewed ops.py, which is not there'],
    ['view top full', 'viewed top, which is not there'],
    ['view core.py max', 'viewed "max" of core.py'],
    ['search core.py', 'searched for "core.py"'],
    ['search big', 'searched for "big"'],
    ['modify ops.py min max', 'changed min to max in ops.py, which is not there'],
    ['modify core.py sum max', 'changed sum to max in core.py, where it occurs nowhere'],
    ['modify core.py min min', 'changed min to min in core.py'],
    ['modify core.py min ok', 'changed min to ok in core.py, which is no code'],
    ['modify core.py min app', 'changed min to app in core.py, which is no code'],
    ['create core.py', 'created core.py, which is there'],
    ['create max', 'created "max"'],
    ['execute ops.py', 'ran ops.py, which is not there'],
    ['core.py', 'wrote no tool call'],
    ['view core.py', 'wrote no tool call'],
    ['<pad>', 'wrote no tool call'],
  ])('the invalid action "%s" changes no file and has a negative reward', async (action, description) => {
    const episode = begin();
    const step = await episode.act(read(action));
    expect(reply(step)).toBe('<o> error <a>');
    expect(step).toMatchObject({ reward: -0.1, components: { valid: 0, invalid: -0.1 }, validates: false });
    expect(step.summary).toBe(`invalid: ${description}`);
    expect(step.facts).toEqual({ invalid: 1, edited: 0, steps: 1 });
    expect(step.action).toMatch(/:error$/);
    expect(episode.repository).toEqual(PROBLEM.broken);
    expect((await episode.act(read('think'))).state).toBe('#think=0,pass=0,fail=0');
  });

  it('an edit of a token that occurs twice is invalid', async () => {
    const [, , step] = await play(begin(), 'modify core.py k (x)', FIX_TOP, 'modify core.py (x) k');
    expect(step.summary).toBe('invalid: changed (x) to k in core.py, where it occurs 2 times');
  });

  it('creating a file twice is invalid', async () => {
    const [first, second, run] = await play(begin(), 'create ops.py', 'create ops.py', 'execute ops.py');
    expect([first, second, run].map(reply)).toEqual(['<o> ok <a>', '<o> error <a>', '<o> ok <a>']);
  });

  it('surplus or unknown tokens throw an error instead of being an invalid action', async () => {
    await expect(begin().act(read('test test'))).rejects.toThrow(RangeError);
    await expect(begin().act([107])).rejects.toThrow('107 is not a token');
  });
});

describe('tests of Repository', () => {
  it('tests name the next function that fails, helpers before app, until all tests pass', async () => {
    const results = await play(begin(), 'test', FIX_TOP, 'test', FIX_SPAN, 'test');
    expect(results.map(reply)).toEqual([
      '<o> fail top low <a>',
      '<o> ok <a>',
      '<o> fail span low <a>',
      '<o> ok <a>',
      '<o> pass <a>',
    ]);
    expect(results.map(({ action }) => action)).toEqual([
      'test@tests:error',
      'modify:replace:f832@core.py',
      'test@tests:error',
      'modify:replace:3c59@lib.py',
      'test@tests:ok',
    ]);
  });

  it('tests report high results, low results and crashes, also for invalid Python', async () => {
    const edits = ['modify base.py min max', 'modify base.py sum len', 'modify base.py y=[ +'];
    const [, high, , low, , crash] = await play(begin(), ...edits.flatMap((edit) => [edit, 'test']));
    expect(reply(high)).toBe('<o> fail clip high <a>'); // max(1, 3) + max(5, 3) = 8 for 4
    expect(reply(low)).toBe('<o> fail clip low <a>'); // 2 members
    expect(reply(crash)).toBe('<o> fail clip crash <a>');
  });

  it('tests run once for equal files, and in one batch for all episodes', async () => {
    const fresh = await worldOf(python.execute);
    const before = python.batches.length;
    const episodes = [1, 2, 3, 4].map(() => fresh.begin(PROBLEM, controls));
    await Promise.all(episodes.map((episode) => episode.act(read('test'))));
    expect(python.batches.slice(before)).toEqual([1]);
    await Promise.all(episodes.map((episode, index) => episode.act(read(index < 2 ? FIX_TOP : FIX_SPAN))));
    const results = await Promise.all(episodes.map((episode) => episode.act(read('test'))));
    expect(results.map(reply)).toEqual([...repeat(2, '<o> fail span low <a>'), ...repeat(2, '<o> fail top low <a>')]);
    expect(python.batches.slice(before)).toEqual([1, 2]);
    expect(fresh.runner.programs).toBe(3);
    await episodes[0].act(read('finish'));
    expect(fresh.runner.programs).toBe(3);
  });
});

describe('the end of a Repository episode', () => {
  it('finish has outcome 1 if all tests pass', async () => {
    const step = (await play(begin(), FIX_TOP, FIX_SPAN, 'test', 'finish'))[3];
    expect(step).toMatchObject({ reward: 0.02, outcome: 1, solved: true, action: 'finish' });
    expect(step.components).toEqual({ valid: 0.02, invalid: 0, solved: 1 });
    expect(step.facts).toEqual({ invalid: 0, edited: 1, steps: 4, finished: 1, tested: 1 });
    expect(step.reply).toBeUndefined();
    expect(step.summary).toBe('finished: all tests pass');
  });

  it('finish has outcome 0 if a visible test fails', async () => {
    const [, step] = await play(begin(), FIX_TOP, 'finish');
    expect(step).toMatchObject({ outcome: 0, solved: false, facts: { finished: 1, tested: 0, edited: 1 } });
    expect(step.summary).toBe('finished: a visible test fails: span([3, 4, 4], 0) gives 1, wanted 2');
  });

  it('finish has outcome 0 if only a hidden test fails', async () => {
    // max(3, 4, 4) - 2 is 2 as well.
    const [, , test, step] = await play(begin(), FIX_TOP, 'modify lib.py len max', 'test', 'finish');
    expect(reply(test)).toBe('<o> pass <a>');
    expect(step).toMatchObject({ outcome: 0, solved: false });
    expect(step.summary).toBe('finished: a hidden test fails: span([1, 1], 0) gives -1, wanted 1');
  });

  it.each([
    [14, 'two'],
    [12, 'one'],
  ] as const)('an episode ends unsolved after %i steps with the setting bugs=%s', async (steps, bugs) => {
    const episode = (await worldOf(python.execute, bugs)).begin(PROBLEM, controls);
    const results = await play(episode, FIX_TOP, FIX_SPAN, ...repeat(steps - 2, 'think'));
    expect(results.map(({ reply }) => reply !== undefined)).toEqual([...repeat(steps - 1, true), false]);
    expect(results.at(-1)).toMatchObject({
      reward: 0.02,
      outcome: 0,
      solved: false,
      facts: { finished: 0, tested: 0 },
    });
    await expect(episode.act(read('finish'))).rejects.toThrow('the episode is over: start another with begin()');
  });

  it('an episode is marked as truncated if the step limit ended it', async () => {
    const steps = world.maxTurns;
    const cut = await play(begin(), ...Array.from({ length: steps }, () => 'think'));
    expect(cut.map(({ truncated }) => truncated === true)).toEqual(cut.map((_, at) => at === steps - 1));
    const results = await play(begin(), ...Array.from({ length: steps - 1 }, () => 'think'), 'finish');
    expect(results.some((step) => 'truncated' in step)).toBe(false);
  });

  it('an invalid last turn has its negative reward and outcome 0', async () => {
    const [step] = await play(world.begin(PROBLEM, controls, { maxTurns: 1 }), 'lib.py');
    expect(step).toMatchObject({ reward: -0.1, outcome: 0 });
  });

  it('the fact "tested" counts only tests after the last edit', async () => {
    const tested = async (...actions: readonly string[]) => (await play(begin(), ...actions)).at(-1)?.facts.tested;
    expect(await tested('test', FIX_TOP, 'finish')).toBe(0);
    expect(await tested('test', 'finish')).toBe(0);
    expect(await tested(FIX_TOP, 'test', FIX_SPAN, 'finish')).toBe(0);
    expect(await tested(FIX_TOP, 'test', 'modify ops.py 1 2', 'finish')).toBe(1);
    expect(await tested(FIX_TOP, 'execute app.py', 'finish')).toBe(0);
  });
});

describe('a turn validates', () => {
  it('a turn validates if it is the first check after a successful edit', async () => {
    const flags = async (...actions: readonly string[]) =>
      (await play(begin(), ...actions)).map(({ validates }) => Number(validates)).join('');
    expect(await flags('test', FIX_TOP, 'test', 'test', 'execute app.py')).toBe('00100');
    expect(await flags(FIX_TOP, 'execute core.py', 'think', 'execute app.py', 'test')).toBe('00010');
    expect(await flags('modify ops.py 1 2', 'test', FIX_TOP, FIX_SPAN, 'test', 'finish')).toBe('000010');
  });
});

describe('the potential of a check', () => {
  const actions = ['test', FIX_TOP, 'test', 'think', FIX_SPAN, 'execute app.py', 'finish'];
  const shaped = async (changed: object) =>
    (await play(begin(changed), ...actions)).map(({ components, reward }) => {
      const { valid, invalid, shaping } = components;
      expect(reward).toBeCloseTo(valid + invalid + (shaping ?? 0), 12);
      return shaping;
    });

  it('the potential of a check is added at the check, and subtracted at the next edit and at the end', async () => {
    expect(await shaped({ potential: 0.1 })).toEqual([0, 0, 0.1, 0, -0.1, 0.1, -0.1]);
    expect(await shaped({})).toEqual(actions.map(() => undefined));
  });

  it('the potential of a check does not change the discounted return of an episode', async () => {
    const rtmcGamma = 0.9;
    const rewards = await shaped({ potential: 0.1, rtmcGamma });
    expect(rewards[3]).toBeCloseTo(-0.01, 12);
    expect(rewards.reduceRight<number>((G, r) => (r ?? NaN) + rtmcGamma * G, 0)).toBeCloseTo(0, 12);
  });
});

describe('controls of Repository', () => {
  it('reward controls of Repository change rewards and outcome', async () => {
    const changed = { rewardValid: 0.5, rewardInvalid: -1, outcomeSolved: 2 };
    const results = await play(begin(changed), 'lib.py', FIX_TOP, FIX_SPAN, 'finish');
    expect(results.map(({ reward }) => reward)).toEqual([-1, 0.5, 0.5, 0.5]);
    expect(results[3].outcome).toBe(2);
    expect(world.outcomeRange({ ...controls, ...changed })).toEqual({ bestOutcome: 2, worstOutcome: 0 });
    expect(() => begin({ rewardValid: 9 })).toThrow(ParameterError);
  });

  it('the control granularity changes the states', async () => {
    const states = async (granularity: string) =>
      (await play(begin({ granularity }), 'search sum', FIX_TOP, 'think')).map(({ state }) => state);
    expect(await states('paper')).toEqual([
      '#think=0,pass=0,fail=0',
      'base.py:S#think=0,pass=0,fail=0',
      'base.py:S|core.py:M:f832#think=0,pass=0,fail=0',
    ]);
    expect(await states('coarse')).toEqual(['#pass=0,fail=0', '#pass=0,fail=0', 'core.py:M:f832#pass=0,fail=0']);
    expect(await states('history')).toEqual(['', '>search:sum@.', '>search:sum@.>modify:replace:f832@core.py']);
    expect((await states('contents'))[2]).toMatch(/core\.py:top:m= max .*#modify core\.py min max > ok$/);
  });

  it('the states at every granularity are reported, not only at the selected granularity', async () => {
    const reference = await play(begin({ granularity: 'coarse' }), 'search sum', FIX_TOP, 'think');
    for (const granularity of GRANULARITIES) {
      const chosen = await play(begin({ granularity }), 'search sum', FIX_TOP, 'think');
      expect(reference.map(({ states }) => states?.[granularity])).toEqual(chosen.map(({ state }) => state));
    }
    expect(Object.keys(reference[0].states ?? {})).toEqual([...GRANULARITIES]);
  });
});

describe('a fork of a Repository episode', () => {
  it('a fork continues from the current state of the episode, and neither changes the other', async () => {
    const episode = begin();
    await play(episode, 'test', FIX_TOP, 'create ops.py');
    const fork = episode.fork();
    const [, wrong] = await play(fork, 'modify core.py max sum', 'finish');
    expect(wrong.solved).toBe(false);
    const results = await play(episode, 'test', FIX_SPAN, 'create ops.py', 'finish');
    expect(results.map(({ validates }) => validates)).toEqual([true, false, false, false]);
    expect(results[2].facts.invalid).toBe(1);
    expect(results[3]).toMatchObject({ solved: true, facts: { steps: 7 } });
  });

  it('a fork at any step equals a replay of the same actions', async () => {
    const actions = ['search top', 'view core.py p1', 'core.py', FIX_TOP, 'test', FIX_SPAN, 'execute app.py', 'finish'];
    const complete = await play(begin(), ...actions);
    for (let step = 0; step < actions.length; step++) {
      const episode = begin();
      await play(episode, ...actions.slice(0, step));
      expect(await play(episode.fork(), ...actions.slice(step))).toEqual(complete.slice(step));
    }
  });
});

describe('the description of a turn for the user', () => {
  it('files are shown as Python, with wrong and repaired tokens marked', async () => {
    const [view, fix, part, app, clip, test] = await play(
      begin(),
      'view core.py full',
      FIX_TOP,
      'view lib.py p2',
      'view app.py full',
      'view base.py full',
      'test',
    );
    expect(view.tool?.call).toBe('view("core.py")');
    expect(lines(view.tool)).toEqual(['def top(x, k):', '    m = <w:min>(x)', '    return m + k']);
    expect(fix.tool?.call).toBe('modify("core.py", "min", "max")');
    expect(lines(fix.tool)).toEqual(['def top(x, k):', '    m = <c:max>(x)', '    return m + k']);
    expect(part.tool?.call).toBe('view("lib.py", "p2")');
    expect(lines(part.tool)).toEqual(['    return n - <w:2>']);
    expect(lines(app.tool)).toEqual(['def app(x, k):', '    a = top(x, k)', '    return a + clip(x, k)']);
    expect(lines(clip.tool)?.[1]).toBe('    y = [min(v, k) for v in x]');
    expect(test.tool).toEqual({
      call: 'test()',
      answer: [[{ text: 'span([3, 4, 4], 0) gives 1, wanted 2' }]],
    });
  });

  it('invalid calls are shown as they were written', async () => {
    const [view, malformed] = await play(begin(), 'view return_m k]', 'y=[v_for_v_in_x_if_v');
    expect(view.tool).toEqual({ call: 'view("return m", "k]")', answer: [[{ text: 'error' }]] });
    expect(malformed.tool?.call).toBe('y=[v for v in x if v');
  });
});

function repeat<Item>(count: number, item: Item): Item[] {
  return new Array(count).fill(item);
}
