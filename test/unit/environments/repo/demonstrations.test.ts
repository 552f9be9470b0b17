import { afterAll, describe, expect, it, vi } from 'vitest';
import { DEMONSTRATOR_BEHAVIOURS, demonstrate } from '../../../../src/environments/repo/demonstrations.ts';
import { createRepoEnvironment } from '../../../../src/environments/repo/open.ts';
import { measureRepositories } from '../../../../src/environments/repo/problemGenerator.ts';
import { loadProblems } from '../../../../src/environments/repo/repoTasks.ts';
import { ACTION_LENGTHS, isTool, spell, tokenName, tokenNumber } from '../../../../src/environments/repo/vocabulary.ts';
import { CounterRandom, STREAMS } from '../../../../src/random/counter.ts';
import { IS_LONG } from '../../../isLong.ts';
import { startPython } from './repoWorld.ts';

// Programs run slowly if other tests use the machine.
vi.setConfig({ testTimeout: 60_000 });

const python = await startPython();
afterAll(() => python.close());

const worlds = {
  one: createRepoEnvironment({ bugs: 'one' }, { execute: python.execute, problems: await loadProblems('one') }),
  two: createRepoEnvironment({}, { execute: python.execute, problems: await loadProblems('two') }),
};
/** Number of demonstrations. Only `npm run test:all` draws 400. */
const COUNT = IS_LONG ? 400 : 200;
const END_OF_PROMPT = 9;

/** Returns demonstrations of training problems, each with separate draws. */
function sample(bugs: 'one' | 'two', kind: 'clean' | 'noisy', count = COUNT) {
  const { problems, runner, maxTurns } = worlds[bugs];
  return Promise.all(
    Array.from({ length: count }, (_, index) => {
      const random = new CounterRandom(1, STREAMS.demonstrations, index);
      const problem = problems.training[random.integer(problems.training.length)];
      return demonstrate(problem, runner, DEMONSTRATOR_BEHAVIOURS[bugs][kind], maxTurns, random);
    }),
  );
}
type Samples = Awaited<ReturnType<typeof sample>>;

const mean = (samples: Samples, of: (one: Samples[number]) => number) =>
  samples.reduce((sum, one) => sum + of(one), 0) / samples.length;
const solved = (samples: Samples) => mean(samples, ({ results }) => Number(results.at(-1)?.solved));

/** Returns the interval [from, to] of four standard errors around a share measured on 2,000 demonstrations. */
const about = (share: number) => {
  const error = 4 * Math.sqrt((share * (1 - share)) / COUNT);
  return [share - error, share + error];
};

describe('settings of Repository', () => {
  it('episodes have 12 turns for one bug and 14 for two, and the context has room for the longest episode', () => {
    const { one, two } = worlds;
    expect([one.maxTurns, one.context]).toEqual([12, 156]); // 9 + 11 * 13 + 4
    expect([two.maxTurns, two.context]).toEqual([14, 184]); // 9 + 13 * 13 + 4 = 182
    expect(two.turnLengths).toBe(ACTION_LENGTHS);
    expect([two.stopTokens, two.turnLimit(0), two.turnLimit(13)]).toEqual([[], 4, 4]);
  });

  it('unknown settings and an empty split of Repository throw an error', async () => {
    const parts = { execute: python.execute, problems: await loadProblems('one') };
    expect(() => createRepoEnvironment({ bugs: 'three' }, parts)).toThrow('bugs: "three" is not one of one, two');
    expect(() => createRepoEnvironment({ hard: 1 }, parts)).toThrow('unknown parameter "hard"');
    const none = { training: [], heldOut: [] };
    expect(() => createRepoEnvironment({}, { ...parts, repositories: none })).toThrow('a split has no problems');
  });

  it('tasks of each split depend only on the random draws', () => {
    const { one } = worlds;
    const draw = (split: 'train' | 'held-out', seed: number) =>
      one.sampleTasks(new CounterRandom(seed, STREAMS.tasks), 300, split);
    expect(draw('train', 1)).toEqual(draw('train', 1));
    expect(draw('train', 1)).not.toEqual(draw('train', 2));
    expect(draw('train', 1).every((task) => one.problems.training.includes(task))).toBe(true);
    expect(draw('held-out', 1).every((task) => one.problems.heldOut.includes(task))).toBe(true);
  });
});

describe.each([
  ['one', 'clean', 0.998, 0.615, 45],
  ['one', 'noisy', 0.44, 0.21, 47],
  ['two', 'clean', 0.935, 0.845, 66],
  ['two', 'noisy', 0.285, 0.255, 56],
] as const)('demonstrations with the setting bugs=%s (%s)', (bugs, kind, solves, tests, tokens) => {
  it('demonstrations are episodes that fit into the context, with weight 1 on policy tokens', async () => {
    const { context, maxTurns } = worlds[bugs];
    for (const { tokens, weights, results } of await sample(bugs, kind, 100)) {
      expect(tokens.length).toBeLessThanOrEqual(context);
      expect(weights).toHaveLength(tokens.length);
      expect(results.length).toBeLessThanOrEqual(maxTurns);
      expect(weights.slice(0, END_OF_PROMPT)).toEqual([0, ...new Array(8).fill(0.05)]);
      expect(new Set(weights.slice(1))).toEqual(new Set([0.05, 1]));
      // Actions of weight 1, each followed by the reply of the environment.
      let at = END_OF_PROMPT;
      for (const { reply } of results) {
        expect(isTool(tokenName(tokens[at]))).toBe(true);
        const length = ACTION_LENGTHS[tokens[at]];
        expect(weights.slice(at, at + length)).toEqual(new Array(length).fill(1));
        at += length;
        expect(tokens.slice(at, at + (reply?.length ?? 0))).toEqual(reply ?? []);
        at += reply?.length ?? 0;
      }
      expect(at).toBe(tokens.length);
    }
  });

  it('demonstrations have the measured success rate, test rate and length', async () => {
    const samples = await sample(bugs, kind);
    const [least, maximum] = about(solves);
    expect(solved(samples)).toBeGreaterThan(Math.min(least, 0.99));
    expect(solved(samples)).toBeLessThan(Math.max(maximum, 1.001));
    const tested = mean(samples, ({ results }) => results.at(-1)?.facts.tested ?? 0);
    expect(tested).toBeGreaterThan(about(tests)[0]);
    expect(tested).toBeLessThan(about(tests)[1]);
    expect(Math.abs(mean(samples, (one) => one.tokens.length) - tokens)).toBeLessThan(6);
  });
});

describe('a warm-start stage of Repository', () => {
  it('warm-start stages of Repository have the measured steps, batches and learning rates', () => {
    const rows = (bugs: 'one' | 'two') =>
      worlds[bugs].warmStart.map(({ steps, batch, learningRate, warmUpSteps }) => [
        steps,
        batch,
        learningRate,
        warmUpSteps,
      ]);
    expect(rows('one')).toEqual([
      [800, 48, 4e-3, 40],
      [300, 48, 1.5e-3, 40],
    ]);
    expect(rows('two')).toEqual([
      [550, 48, 4e-3, 40],
      [250, 48, 1.5e-3, 40],
    ]);
    expect(worlds.two.warmStart[0].optimizer).toEqual({ beta1: 0.9, beta2: 0.98, weightDecay: 0.01, floor: 0.05 });
  });

  it('a batch of demonstrations depends only on the seed, the stage and the step', async () => {
    const parts = { execute: python.execute, problems: await loadProblems('one') };
    const repeated = createRepoEnvironment({ bugs: 'one' }, parts);
    const seeded = createRepoEnvironment({ bugs: 'one', warmSeed: 1 }, parts);
    const [clean, noisy] = worlds.one.warmStart;
    const third = await clean.demonstrations(3);
    expect(third).toHaveLength(48);
    // The result does not depend on earlier or concurrent calls.
    const [again] = await Promise.all([
      repeated.warmStart[0].demonstrations(3),
      repeated.warmStart[0].demonstrations(4),
    ]);
    expect(again).toEqual(third);
    expect(await seeded.warmStart[0].demonstrations(3)).not.toEqual(third);
    expect(await clean.demonstrations(4)).not.toEqual(third);
    expect(await noisy.demonstrations(3)).not.toEqual(third);
  });

  it('warm-start demonstrations use only training problems', async () => {
    const prompts = new Set(worlds.one.problems.training.map(({ prompt }) => spell(prompt)));
    for (const { tokens } of await worlds.one.warmStart[1].demonstrations(0)) {
      expect(prompts.has(spell(tokens.slice(0, END_OF_PROMPT)))).toBe(true);
      expect(tokens[END_OF_PROMPT - 1]).toBe(tokenNumber('<a>'));
    }
  });
});

describe('measured values of Repository', () => {
  it('measured shares match the problems; history states are shared least and coarse states most', async () => {
    const { problems, twoBugs, issuesOfApp, clean, noisy, sharedSteps } = await measureRepositories(worlds.two, 160);
    expect(problems).toBe(728);
    const all = [...worlds.two.problems.training, ...worlds.two.problems.heldOut];
    expect(twoBugs).toBe(all.filter(({ bugs }) => bugs.length === 2).length / 728);
    expect(issuesOfApp).toBe(all.filter(({ issue }) => issue.name === 'app').length / 728);
    expect(clean.solved).toBeGreaterThan(noisy.solved + 0.3);
    expect(clean.invalid).toBeLessThan(noisy.invalid);
    expect(noisy.longest).toBeLessThanOrEqual(184);
    const { history, paper, coarse } = sharedSteps;
    expect(history).toBeLessThan(paper);
    expect(paper).toBeLessThan(coarse - 0.2);
    // The first step of a rollout is in a state that all rollouts share.
    expect(history).toBeGreaterThan(1 / noisy.meanSteps);
  });
});
