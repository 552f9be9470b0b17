import { describe, expect, test } from 'vitest';
import { findRule } from '../../../../../src/credit/rules.ts';
import type { Group, Turn } from '../../../../../src/rollouts/forest.ts';
import { expectClose } from '../../../../vectorFile.ts';

const rule = findRule('turn-credit');

/** Parameters of prime-rl: rewards are scores, and the start has no score. */
const SCORED = { scores: 'reward', start: 'unscored' };

interface Scored {
  readonly rewards: readonly number[];
  readonly outcome?: number;
  readonly tokens?: readonly number[];
}

/** Creates a group from the rewards of all turns, including the last turn of each rollout. */
function rollouts(...all: readonly Scored[]): Group {
  const turns: Turn[] = [];
  for (const { rewards, outcome = 0, tokens } of all) {
    rewards.forEach((reward, index) => {
      const parent = index === 0 ? -1 : turns.length - 1;
      const end = index === rewards.length - 1 ? { outcome } : {};
      turns.push({ parent, reward, ...(tokens ? { tokens: tokens[index] } : {}), ...end });
    });
  }
  return { id: 'g', turns };
}

const credit = (group: Group, values = {}) => rule.credit(group, { ...SCORED, ...values });
const of = (group: Group, name: string, values = {}) => credit(group, values).intermediate[name];

describe('progress under turn-credit', () => {
  test('progress is the change of the score per turn, and 0 on the first turn if the start is unscored', () => {
    expect([...of(rollouts({ rewards: [1, 3, 2] }), 'progress')]).toEqual([0, 2, -1]);
    expect([...of(rollouts({ rewards: [1, 3, 2] }), 'progress', { start: 'zero' })]).toEqual([1, 2, -1]);
  });

  test('progress is the reward if the score is the sum of rewards', () => {
    expect([...of(rollouts({ rewards: [1, 3, 2] }), 'progress', { scores: 'sum' })]).toEqual([0, 3, 2]);
    expect([...of(rollouts({ rewards: [1, 3, 2] }), 'progress', { scores: 'sum', start: 'zero' })]).toEqual([1, 3, 2]);
    expect(rule.credit(rollouts({ rewards: [1, 3, 2] }), {}).intermediate.progress).toEqual(Float64Array.of(1, 3, 2));
  });

  test('a turn that repeats the previous score has no progress; returns depend on first and last scores', () => {
    expect([...of(rollouts({ rewards: [1, 1, 4] }), 'progress')]).toEqual([0, 0, 3]);
    const [dense, sparse] = [rollouts({ rewards: [0, 0.5, 0.75, 1] }), rollouts({ rewards: [0, 0, 0, 1] })];
    expect(of(dense, 'return')).toEqual(of(sparse, 'return'));
  });
});

describe('turn credits', () => {
  const group = rollouts({ rewards: [0, 0, 1] });

  test('turn credits divide progress by powers of γ, and sum to the total progress', () => {
    // z_3 = 1 + 1/2 + 1/4 = 7/4: the third turn has 4/7 of its progress, the second 2/7, the first 1/7.
    expectClose(of(group, 'turnCredit', { gamma: 0.5 }), [1 / 7, 2 / 7, 4 / 7], 1e-15);
    expectClose(of(group, 'turnCredit', { gamma: 0 }), [0, 0, 1], 0);
    expectClose(of(group, 'turnCredit', { gamma: 1 }), [1 / 3, 1 / 3, 1 / 3], 1e-15);
    for (const gamma of [0, 0.5, 0.9, 1]) {
      const credits = of(rollouts({ rewards: [0, 2, 1, 1.5] }), 'turnCredit', { gamma });
      expectClose([credits.reduce((sum, c) => sum + c, 0)], [1.5], 1e-12);
    }
  });

  test('centered turn credits sum to 0 over the tokens of a rollout', () => {
    // c = 1/3, 2/3 with z_2 = 3/2; mean (3 · 1/3 + 1 · 2/3) / 4 = 5/12.
    const weighed = rollouts({ rewards: [0, 1], tokens: [3, 1] });
    expectClose(credit(weighed, { gamma: 0.5 }).advantage, [-1 / 12, 3 / 12], 1e-15);
    // Without tokens each turn counts once: mean 1/2.
    expectClose(credit(rollouts({ rewards: [0, 1] }), { gamma: 0.5 }).advantage, [-1 / 6, 1 / 6], 1e-15);
  });

  test('equal turn credits are exactly 0 after centering', () => {
    const even = rollouts({ rewards: [0, 0, 0.3], tokens: [3, 5, 7] });
    expect([...of(even, 'centredCredit', { gamma: 1 })].map(Math.abs)).toEqual([0, 0, 0]);
  });
});

describe('advantages of turn-credit', () => {
  test('a turn-credit advantage is the level plus β times the centered turn credit', () => {
    // R = 1 + 1 and 0 + 0, mean 1: levels 1 and -1. First rollout: δ = 0, 1/2, 1/2; z = 1, 3/2, 7/4;
    // c_3 = 2/7, c_2 = 1/3 + 1/7 = 10/21, c_1 = 5/21; mean 1/3; shifts -2/21, 3/21, -1/21.
    const group = rollouts({ rewards: [0, 0.5, 1], outcome: 1 }, { rewards: [0.2, 0.2] });
    const expected = [1 - 2 / 21, 1 + 3 / 21, 1 - 1 / 21, -1, -1];
    expectClose(credit(group, { gamma: 0.5 }).advantage, expected, 1e-12);
    expectClose(credit(group, { gamma: 0.5, beta: 2 }).advantage, [1 - 4 / 21, 1 + 6 / 21, 1 - 2 / 21, -1, -1], 1e-12);
    // With β = 0 the level still includes the progress.
    expectClose(credit(group, { beta: 0 }).advantage, [1, 1, 1, -1, -1], 1e-15);
  });

  test('a temporary rise of the score and a constant high score have no progress in the level', () => {
    const spike = rollouts({ rewards: [0, 5, 0] }, { rewards: [0, 0, 0] });
    expect([...of(spike, 'level')]).toEqual([0, 0, 0, 0, 0, 0]);
    const [unchanged, , , moved] = of(rollouts({ rewards: [1, 1, 1] }, { rewards: [0, 0, 1] }), 'level');
    expect([unchanged, moved]).toEqual([-0.5, 0.5]);
  });

  test('a lone rollout has level 0 and only centered turn credits; a lone turn has advantage 0', () => {
    const { advantage, intermediate } = credit(rollouts({ rewards: [0, 1], outcome: 1 }), {});
    expect([...intermediate.level]).toEqual([0, 0]);
    // z_2 = 1.9: c = 0.9/1.9 and 1/1.9, half their distance 0.05/1.9.
    expectClose(advantage, [-0.05 / 1.9, 0.05 / 1.9], 1e-15);
    expect([...credit(rollouts({ rewards: [0.7], outcome: 1 }), {}).advantage]).toEqual([0]);
    expect([...credit({ id: 'empty', turns: [] }, {}).advantage]).toEqual([]);
  });

  test('turn-credit equals dr-grpo if all turn rewards are 0', () => {
    const group = rollouts({ rewards: [0, 0], outcome: 1 }, { rewards: [0], outcome: 0 }, { rewards: [0, 0, 0] });
    expect(credit(group, {}).advantage).toEqual(findRule('dr-grpo').credit(group, {}).advantage);
  });
});

test('a group with tied levels still has different turn credits, unless β is 0', () => {
  const tied = rollouts({ rewards: [0, 1] }, { rewards: [0, 1] });
  const varied = (beta: number) =>
    rule.compared(tied, { ...SCORED, beta }).some((list) => new Set(Array.from(list)).size > 1);
  expect([varied(1), varied(0)]).toEqual([true, false]);
});

test('turn-credit throws an error for a fork, and for a turn without tokens next to a turn with tokens', () => {
  const { turns } = rollouts({ rewards: [0, 1], tokens: [2, 2] });
  expect(() => credit({ id: 'g', turns: [...turns, { ...turns[1] }] }, {})).toThrow(
    'group "g", turn 0, field "parent": this rule needs trajectories, but turns 1, 2 all continue this turn',
  );
  const { tokens: _, ...without } = turns[1];
  expect(() => credit({ id: 'g', turns: [turns[0], without] }, {})).toThrow(
    'group "g", turn 1, field "tokens": missing: this rule needs a whole number above 0',
  );
});
