import { describe, expect, test } from 'vitest';
import type { StepResult, WrittenTurn } from '../../../../src/environments/environment.ts';
import { childrenOf, trajectories } from '../../../../src/rollouts/forest.ts';
import type { RolloutBatch } from '../../../../src/rollouts/rolloutBatch.ts';
import { allocateByDeviation } from '../../../../src/training/collect/allocation.ts';
import { collect, SmallWorldGenerator, type SmallWorldOptions } from '../collectWorld.ts';

const REPLIES: SmallWorldOptions = { next: 'reply', turns: 3 };
const PROMPTS: SmallWorldOptions = { next: 'prompt', turns: 3 };

/** Checks the conditions that every batch must satisfy. */
function expectConsistent(batch: RolloutBatch) {
  const { forest, groups, rollouts, rolloutOffset, trajectories: paths } = batch;
  // Every turn belongs to one rollout, in the order of the forest.
  const owned = rollouts.flatMap(({ turns }) => turns.map(({ forestTurn }) => forestTurn));
  expect(owned).toEqual(Array.from({ length: forest.parent.length }, (_, turn) => turn));
  for (const { turns, tokens, turnOf, logProb, sequence, group } of rollouts) {
    expect(rolloutOffset[group]).toBeLessThanOrEqual(rollouts.findIndex((rollout) => rollout.sequence === sequence));
    expect(rolloutOffset[group + 1]).toBeGreaterThan(rollouts.findIndex((rollout) => rollout.sequence === sequence));
    turns.slice(1).forEach(({ forestTurn }, index) => {
      expect(forest.parent[forestTurn]).toBe(turns[index].forestTurn);
    });
    expect([turnOf.length, logProb.length]).toEqual([tokens.length, tokens.length]);
    turnOf.forEach((turn, at) => {
      if (turn < 0) expect(logProb[at]).toBeNaN();
      // Value that the generator recorded for exactly this draw.
      else expect(logProb[at]).toBeCloseTo(-(1 + sequence + at / 100), 4);
    });
    turns.forEach(({ summary, forestTurn }, turn) => {
      const drawn = logProb.filter((_, at) => turnOf[at] === turn).reduce((sum, value) => sum + value, 0);
      expect(groups[group].turns[forestTurn - forest.groupOffset[group]].logProb).toBeCloseTo(drawn, 4);
      const written = [...tokens].filter((_, at) => turnOf[at] === turn);
      expect(summary).toMatch(new RegExp(`: ${written.join(' ')}$`));
    });
  }
  const counts = groups.flatMap(({ turns }) => turns.map(({ tokens }) => tokens ?? 0));
  expect(batch.policyTokens).toBe(counts.reduce((sum, count) => sum + count, 0));
  // Trajectories end at leaves, and only leaves have an outcome.
  const leaves = groups.flatMap((group) => childrenOf(group).map((children) => children.length === 0));
  expect(paths.map(({ turns }) => turns.at(-1)?.forestTurn)).toEqual(
    leaves.flatMap((leaf, turn) => (leaf ? [turn] : [])),
  );
  leaves.forEach((leaf, turn) => {
    expect(Number.isNaN(forest.outcome[turn])).toBe(!leaf);
  });
}

test('chains of replies stay in their sequence, whose cache is retained', async () => {
  const { batch, generator } = await collect(REPLIES, [4, 1]);
  expectConsistent(batch);
  expect(batch.rollouts.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 12 }, (_, index) => index));
  expect(batch.trajectories.map(({ turns }) => turns)).toEqual(batch.rollouts.map(({ turns }) => turns));
  const long = batch.rollouts.find(({ turns }) => turns.length === 3);
  expect([...(long?.turnOf ?? [])]).toEqual([-1, -1, 0, 0, 0, -1, -1, 1, 1, 1, -1, -1, 2, 2, 2]);
  expect(generator.requests.map((requests) => new Set(requests.map(({ cached }) => cached)))).toEqual(
    [0, 4, 9].map((cached) => new Set([cached])),
  );
  expect(batch.executeMs).toBe(0);
});

test('a fresh prompt begins a separate sequence, numbered in the order of the continued turns', async () => {
  const { batch, generator } = await collect(PROMPTS, [4, 1]);
  expectConsistent(batch);
  for (const { turns, turnOf } of batch.rollouts) {
    expect(turns.length).toBe(1);
    expect([...turnOf].indexOf(0)).toBe(turnOf.length - 3);
  }
  // The turns of a chain are adjacent and in order.
  for (const group of batch.groups) expect(trajectories(group).flat()).toEqual(group.turns.map((_, turn) => turn));
  const [first, second] = generator.requests.map((requests) => requests.map(({ sequence }) => sequence));
  expect(first).toEqual(Array.from({ length: 12 }, (_, index) => index));
  expect(second).toEqual(second.map((_, index) => 12 + index));
  const [continued] = batch.rollouts.filter(({ turns }) => batch.forest.depth[turns[0].forestTurn] === 1);
  const before = batch.rollouts.find(({ turns }) => turns[0].forestTurn === continued.turns[0].forestTurn - 1);
  expect([...continued.tokens.subarray(0, 3)]).toEqual([20 + continued.group, 41, before?.tokens.at(-1)]);
});

describe('trees', () => {
  test.each([['prompt'], ['reply']] as const)(
    'in trees whose turns continue with a %s, every turn without an outcome has two children',
    async (next) => {
      const { batch } = await collect({ next, turns: 3 }, [3, 2], { tasks: 2 });
      expectConsistent(batch);
      for (const group of batch.groups) {
        const children = childrenOf(group);
        expect(group.turns.filter(({ parent }) => parent < 0).length).toBe(3);
        group.turns.forEach(({ outcome }, turn) => {
          expect(children[turn].length).toBe(outcome === undefined ? 2 : 0);
          // Depth first: the first child directly follows its parent.
          if (children[turn].length > 0) expect(children[turn][0]).toBe(turn + 1);
        });
      }
      const deep = batch.rollouts.filter(({ turns }) => batch.forest.depth[turns[0].forestTurn] === 2);
      expect(deep.length).toBeGreaterThan(0);
      // In these rollouts, the tokens of earlier turns are context and not tokens of the policy.
      for (const { turnOf, turns } of deep) {
        expect([turns.length, [...turnOf].filter((turn) => turn >= 0).length]).toEqual([1, 3]);
        expect(turnOf.length).toBe(next === 'reply' ? 15 : 6);
      }
    },
  );

  test('spread continuations add more turns to groups with more variance, with the same total per level', async () => {
    // The reward is a quarter of the first token. A token 0 ends an episode.
    const worldOptions: SmallWorldOptions = { ...PROMPTS, turns: 2, reward: ([first]) => first / 4 };
    const { batch } = await collect(worldOptions, [3, 4], { continuations: 'spread', sequences: 128 });
    const even = await collect(worldOptions, [3, 4], { sequences: 128 });
    expectConsistent(batch);
    const roots = batch.groups.flatMap((group, number) => {
      const children = childrenOf(group);
      return group.turns.flatMap(({ parent, reward, outcome }, turn) =>
        parent < 0
          ? [{ evaluated: { group: number, reward, goesOn: outcome === undefined }, count: children[turn].length }]
          : [],
      );
    });
    const counts = roots.map(({ count }) => count);
    expect(counts).toEqual(
      allocateByDeviation(
        roots.map(({ evaluated }) => evaluated),
        4,
      ),
    );
    expect(new Set(counts).size).toBeGreaterThan(2);
    expect(batch.rollouts).toHaveLength(even.batch.rollouts.length);
  });

  test('trees need episodes that can be forked, and chains do not', async () => {
    const stiff: SmallWorldOptions = { ...PROMPTS, forks: false };
    await expect(collect(stiff, [3, 2])).rejects.toThrow('episodes of the environment "little" cannot be forked');
    expectConsistent((await collect(stiff, [3, 1])).batch);
  });
});

test('late feedback does not change a batch, in any order', async () => {
  for (const branching of [
    [4, 1],
    [3, 2],
  ]) {
    const plain = await collect(PROMPTS, branching);
    const late = await collect({ ...PROMPTS, delay: (calls) => (calls * 7) % 5 }, branching);
    expect({ ...late.batch, executeMs: 0 }).toEqual(plain.batch);
    expect(late.batch.executeMs).toBe(late.generator.requests.length);
  }
});

describe('two alternating halves of an environment that runs programs', () => {
  const slow = { delay: (calls: number) => (calls * 7) % 5, runsPrograms: true };

  test.each([
    ['chains of replies', REPLIES, [4, 1], {}],
    ['chains of prompts', PROMPTS, [4, 1], {}],
    ['trees', PROMPTS, [3, 2], {}],
    ['more tasks than the capacity', PROMPTS, [4, 2], { tasks: 4, sequences: 40 }],
    ['more tokens than the capacity', REPLIES, [4, 1], { tasks: 4, rows: 130 }],
    ['a single task', PROMPTS, [3, 2], { tasks: 1 }],
    ['numbers of sequences above the capacity', PROMPTS, [4, 2], { tasks: 12, sequences: 60 }],
  ] as const)(
    'two alternating halves have the batch of a single part: %s',
    async (_, worldOptions, branching, options) => {
      const plain = await collect(worldOptions, branching, options);
      const halves = await collect({ ...worldOptions, ...slow }, branching, options);
      expect({ ...halves.batch, executeMs: 0 }).toEqual(plain.batch);
    },
  );

  test('the second half is sampled while the feedback for the first half is pending', async () => {
    const { batch, generator } = await collect({ ...PROMPTS, ...slow }, [4, 1], { tasks: 3 });
    const groups = generator.requests.map((requests) => requests.map(({ sequence }) => sequence));
    // Two tasks of four rollouts, then the third task, before any feedback can arrive.
    expect(groups.slice(0, 2)).toEqual([
      [0, 1, 2, 3, 4, 5, 6, 7],
      [8, 9, 10, 11],
    ]);
    expect(batch.groups).toHaveLength(3);
  });

  test('the environment evaluates one half while the other half is sampled', async () => {
    const events: string[] = [];
    class RecordingGenerator extends SmallWorldGenerator {
      override async turn(...parameters: Parameters<SmallWorldGenerator['turn']>) {
        events.push('sampling');
        const generated = super.turn(...parameters);
        await new Promise((resolve) => setTimeout(resolve, 1));
        events.push('sampled');
        return generated;
      }
    }
    const recordEvaluation = (calls: number) => {
      if (calls % 4 === 0) events.push('judging');
      return 0;
    };
    const worldOptions = { ...REPLIES, runsPrograms: true, delay: recordEvaluation };
    await collect(worldOptions, [4, 1], { tasks: 2, generator: new RecordingGenerator(64) });
    expect(events.slice(0, 8)).toEqual([
      ...['sampling', 'sampled', 'sampling', 'judging'],
      ...['sampled', 'sampling', 'judging', 'sampled'],
    ]);
  });

  test('an error in feedback that is awaited later rejects the collection, and has no other effect', async () => {
    const failing = { ...PROMPTS, runsPrograms: true, delay: () => Number.NaN };
    await expect(collect(failing, [4, 1], { tasks: 2 })).rejects.toThrow('no feedback');
  });
});

test('the rollouts of a first task do not depend on the number of later tasks', async () => {
  const { batch: single } = await collect(REPLIES, [4, 1], { tasks: 1 });
  const { batch: many } = await collect(REPLIES, [4, 1], { tasks: 9 });
  expect(many.rollouts.slice(0, 4)).toEqual(single.rollouts);
});

describe('a batch above the capacity', () => {
  test('a batch with too many sequences omits its last tasks, and the size of the first task is unchanged', async () => {
    const full = await collect(PROMPTS, [4, 2], { tasks: 4 });
    const cut = await collect(PROMPTS, [4, 2], { tasks: 4, sequences: 40 });
    const retained = cut.batch.groups.length;
    expect(retained).toBeGreaterThan(0);
    expect(retained).toBeLessThan(4);
    expectConsistent(cut.batch);
    expect(cut.batch.questions).toEqual(['task 0', 'task 1', 'task 2', 'task 3'].slice(0, retained));
    expect(cut.batch.groups[0].turns.length).toBe(full.batch.groups[0].turns.length);
    for (const requests of cut.generator.requests)
      for (const { sequence } of requests) expect(sequence).toBeLessThan(40);
  });

  test('a batch with too many tokens omits its last tasks', async () => {
    const { batch } = await collect(REPLIES, [4, 1], { tasks: 4, rows: 130 });
    const tokens = batch.rollouts.reduce((sum, rollout) => sum + rollout.tokens.length, 0);
    expect(tokens).toBeLessThanOrEqual(130);
    expect([batch.groups.length > 0, batch.groups.length < 4]).toEqual([true, true]);
    expectConsistent(batch);
  });

  test.each([
    ['at once', {}],
    ['in two halves', { delay: () => 0, runsPrograms: true }],
  ])(
    'if earlier levels have used the numbers of the sequences, tasks that are sampled %s are left out, and the rest is complete',
    async (_, how) => {
      // Each task has at most 4 + 8 + 16 sequences, and the first turns of 12 tasks take 48 of 60 numbers.
      const full = await collect(PROMPTS, [4, 2], { tasks: 12, sequences: 512 });
      const cut = await collect({ ...PROMPTS, ...how }, [4, 2], { tasks: 12, sequences: 60 });
      expect(
        Math.max(...full.batch.rollouts.filter(({ group }) => group === 0).map(({ sequence }) => sequence)),
      ).toBeGreaterThan(60);
      expectConsistent(cut.batch);
      expect(cut.batch.groups.length).toBeGreaterThan(0);
      expect(cut.batch.groups.length).toBeLessThan(12);
      expect(new Set(cut.batch.rollouts.map(({ sequence }) => sequence)).size).toBe(cut.batch.rollouts.length);
      expect(Math.max(...cut.batch.rollouts.map(({ sequence }) => sequence))).toBeLessThan(60);
    },
  );

  test('a single task that exceeds the capacity is an error', async () => {
    await expect(collect(PROMPTS, [8, 1], { tasks: 1, sequences: 6 })).rejects.toThrow(
      'turn 1 of a single task takes 8 sequences and up to 40 tokens; there is room for 6',
    );
  });
});

test('a rewrite function replaces the prompts of later turns', async () => {
  const { batch } = await collect(PROMPTS, [1], { rewrite: (_prompts, fresh) => fresh });
  const continued = batch.rollouts.filter(({ turns }) => batch.forest.depth[turns[0].forestTurn] > 0);
  expect(continued.length).toBeGreaterThan(0);
  for (const { tokens, group } of continued) expect([...tokens.subarray(0, 2)]).toEqual([20 + group, 40]);
});

test.each([
  ['chains in one sequence', { next: 'reply', turns: 3 } as const, [4, 1]],
  ['trees of prompts', { next: 'prompt', turns: 2 } as const, [3, 2]],
])(
  'the reward function receives each turn of %s once, and all views of the batch have its result',
  async (_, worldOptions, branching) => {
    let rewarded: readonly WrittenTurn<number, StepResult>[] = [];
    const pay = async (turns: readonly WrittenTurn<number, StepResult>[]) => {
      rewarded = turns;
      return turns.map(({ task, written, stepResult }) => ({ ...stepResult, reward: 100 * task + written[0] }));
    };
    const { batch } = await collect(worldOptions, branching, { pay });
    const { rollouts, forest, groups, trajectories } = batch;
    expect(rewarded).toHaveLength(forest.parent.length);
    // The summary of the little world contains the task and the tokens.
    for (const { task, written, stepResult } of rewarded) {
      expect(stepResult.summary).toMatch(new RegExp(`^task ${task}, turn \\d: ${written.join(' ')}$`));
    }
    const expected = rollouts.flatMap(({ tokens, turnOf, turns }) =>
      turns.map(({ summary }, turn) => `${summary} behind ${tokens.slice(0, turnOf.indexOf(turn)).join()}`),
    );
    const summaries = rewarded.map(({ before, stepResult }) => `${stepResult.summary} behind ${before.join()}`);
    expect(summaries.toSorted()).toEqual(expected.toSorted());
    const computeReward = (summary: string) => {
      const [, task, first] = /^task (\d), turn \d: (\d)/.exec(summary) ?? [];
      return 100 * Number(task) + Number(first);
    };
    const turns = [...rollouts, ...trajectories].flatMap((sequence) => sequence.turns);
    for (const { reward, summary, forestTurn } of turns) {
      expect([reward, forest.reward[forestTurn]]).toEqual([computeReward(summary), computeReward(summary)]);
    }
    expect(groups.flatMap((group) => group.turns.map(({ reward }) => reward))).toEqual([...forest.reward]);
  },
);
