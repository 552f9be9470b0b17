import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tieOf } from '../../../../../src/credit/arithmetic/degenerate.ts';
import { CreditError } from '../../../../../src/credit/creditError.ts';
import { FEEDBACK_TREE } from '../../../../../src/credit/explanation/examples.ts';
import { parseRuleParameters, ruleControls } from '../../../../../src/credit/ruleFacts.ts';
import { findRule } from '../../../../../src/credit/rules.ts';
import type { ParameterValues } from '../../../../../src/parameters/parameters.ts';
import type { Group } from '../../../../../src/rollouts/forest.ts';
import { groupOf } from '../../../../groups.ts';
import { expectClose } from '../../../../vectorFile.ts';

const mars = findRule('murphy-mars');
const mers = findRule('murphy-mers');
const both = [mars, mers].map((rule) => [rule.name, rule] as const);

/** Creates a tree from [parent, reward] of each turn. */
function treeOf(turns: readonly (readonly [number, number])[], id = 'tree'): Group {
  return { id, turns: turns.map(([parent, reward]) => ({ parent, reward })) };
}

/** Creates a group of first turns with these rewards. */
const firsts = (...rewards: number[]) => treeOf(rewards.map((reward) => [-1, reward]));

// Random trees: each turn continues an earlier turn or none. Rewards are tenths, so ties are common.
const trees = fc
  .array(fc.tuple(fc.nat(), fc.integer({ min: -10, max: 10 })), { minLength: 1, maxLength: 24 })
  .map((turns) => treeOf(turns.map(([pick, tenths], turn) => [(pick % (turn + 1)) - 1, tenths / 10])));
const lists = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 4 }).map((numbers) => numbers.join('/'));
const prunings = fc.record({ intra: lists, inter: lists });

/** Returns the turns of each response group by the turn that they continue, -1 for first turns. */
function families({ turns }: Group): Map<number, number[]> {
  const children = new Map<number, number[]>();
  turns.forEach(({ parent }, turn) => {
    children.set(parent, [...(children.get(parent) ?? []), turn]);
  });
  return children;
}

function computeDepths({ turns }: Group): number[] {
  const s: number[] = [];
  for (const { parent } of turns) s.push(parent < 0 ? 1 : s[parent] + 1);
  return s;
}

const retained = (group: Group, parameters: ParameterValues) =>
  [...mars.credit(group, parameters).advantage].map((advantage) => !Number.isNaN(advantage));

/** Returns the indices of the turns that pruning retains. */
const left = (group: Group, parameters: ParameterValues) =>
  retained(group, parameters).flatMap((isRetained, turn) => (isRetained ? [turn] : []));

describe('MURPHY rules by hand', () => {
  const half = Math.SQRT1_2;

  test('MaRS gives the feedback tree the credit that is calculated by hand', () => {
    const { advantage, intermediate } = mars.credit(FEEDBACK_TREE, {});
    // max(0.5, 1, 0.5), max(0, 0, 0.5), 1; then leaves
    expect([...intermediate.credited]).toEqual([1, 0.5, 1, 1, 0.5, 0, 0.5]);
    // first turns: mean 5/6, std sqrt((1/36 + 4/36 + 1/36) / 2) = 0.288675; 1/6 / 0.288675 = 0.57735
    // pairs that differ by 1/2: std 0.353553; 0.25 / 0.353553 = 0.70711
    expectClose(advantage, [0.57735, -1.1547, 0.57735, half, -half, -half, half], 1e-5);
  });

  test('MeRS gives the feedback tree the credit that is calculated by hand', () => {
    const { advantage, intermediate } = mers.credit(FEEDBACK_TREE, { gamma: 0.9 });
    // (0.5 + 0.9 * 0.75) / 2, (0 + 0.9 * 0.25) / 2
    expectClose(intermediate.credited, [0.5875, 0.1125, 1, 1, 0.5, 0, 0.5], 1e-12);
    expectClose(intermediate.below.subarray(0, 2), [0.75, 0.25], 1e-12);
    // mean 1.7 / 3 = 0.566667, std sqrt((0.000434 + 0.206267 + 0.187778) / 2) = 0.444117
    expectClose(advantage, [0.04691, -1.02263, 0.97572, half, -half, -half, half], 1e-5);
  });

  test('MeRS divides by the remaining turns of the budget, or by 2 with normalizer=components', () => {
    const chain = treeOf([
      [-1, 0],
      [0, 0],
      [1, 1],
    ]);
    const credited = (parameters: ParameterValues) => mers.credit(chain, parameters).intermediate.credited;
    expectClose(credited({}), [0.135, 0.45, 1], 1e-12); // 0.9 * 1 / 2, 0.9 * 0.45 / 3
    expectClose(credited({ normalizer: 'components' }), [0.2025, 0.45, 1], 1e-12); // 0.9 * 0.45 / 2
    expectClose(credited({ maxTurns: 5 }), [0.0405, 0.225, 1], 1e-12); // 0.9 / 4, 0.9 * 0.225 / 5
    expectClose(credited({ maxTurns: 5, normalizer: 'components' }), [0.2025, 0.45, 1], 1e-12);
    expectClose(mars.credit(chain, {}).intermediate.credited, [1, 1, 1], 0);
  });

  test('GRPO-MT credits both turns of a rollout with the reward of its last attempt', () => {
    const rule = findRule('grpo-mt');
    // outcomes [1, 1, 0, 0.5]: mean 0.625, std sqrt((2 * 0.140625 + 0.390625 + 0.015625) / 3) = 0.478714
    const advantage = [0.78335, 0.78335, 0.78335, -1.30558, -1.30558, -0.26112, -0.26112];
    expectClose(rule.credit(rule.example, {}).advantage, advantage, 1e-5);
  });
});

describe('pruning by hand', () => {
  test('IntraP retains the turns farthest from the group mean, and in ties the turns with lower indices', () => {
    expect(left(firsts(0, 1, 0.5, 0.5), { intra: '2' })).toEqual([0, 1]);
    expect(left(firsts(0.5, 0.25, 0.5, 1), { intra: '1' })).toEqual([3]);
    expect(left(firsts(0, 1, 0, 1), { intra: '3' })).toEqual([0, 1, 2]);
    expect(left(firsts(0.5, 0.5, 0.5), { intra: '2' })).toEqual([0, 1]);
    expect(left(firsts(0, 1), { intra: '3' })).toEqual([0, 1]);
  });

  // First turns are 0 to 3. 4 and 5 continue 0, 6 and 7 continue 1, and 8 and 9 continue 2. 10 and 11 continue 6, and
  // 12 and 13 continue 8.
  const deep = treeOf([
    [-1, 0],
    [-1, 0.5],
    [-1, 0.5],
    [-1, 1],
    [0, 0],
    [0, 0.25],
    [1, 0],
    [1, 0.5],
    [2, 0],
    [2, 1],
    [6, 0],
    [6, 1],
    [8, 0],
    [8, 0.5],
  ]);

  test('IntraP prunes the continuations of a pruned turn', () => {
    // Turn 1 retains 0 and 3 (mean 0.5). Of these, only 0 is continued.
    expect(left(deep, { intra: '2' })).toEqual([0, 3, 4, 5]);
    // Turn 2: the pairs tie, so the first of each pair is retained. 6 and 8 are continued.
    expect(left(deep, { intra: '4/1' })).toEqual([0, 1, 2, 3, 4, 6, 8, 10, 11, 12, 13]);
    expect(left(deep, { intra: '4/1/1' })).toEqual([0, 1, 2, 3, 4, 6, 8, 10, 12]);
  });

  test('InterP retains the refinement groups of highest variance, and does not replace pruned groups', () => {
    // Variances at turn 2: 1/64, 1/16, 1/4; at turn 3: 1/4 after turn 6, 1/16 after turn 8.
    expect(left(deep, { inter: '1' })).toEqual([0, 1, 2, 3, 8, 9, 12, 13]);
    expect(left(deep, { inter: '2' })).toEqual([0, 1, 2, 3, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(left(deep, { inter: '2/1' })).toEqual([0, 1, 2, 3, 6, 7, 8, 9, 10, 11]);
    // The group after turn 6 has a higher variance, but is pruned with turn 6.
    expect(left(deep, { inter: '1/1' })).toEqual([0, 1, 2, 3, 8, 9, 12, 13]);
    expect(left(deep, { inter: '3/1' })).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test('InterP retains the refinement group with the lower parent in ties', () => {
    const turns = [0, 0, 0].map((reward) => [-1, reward] as const);
    const pairs = [2, 1, 0].flatMap((parent) => [0, 1].map((reward) => [parent, reward] as const));
    expect(left(treeOf([...turns, ...pairs]), { inter: '2' })).toEqual([0, 1, 2, 5, 6, 7, 8]);
  });

  test('IntraP and InterP are each computed on all turns if both are active', () => {
    // IntraP retains only the refinements of turn 0, and InterP only the refinements of turn 2.
    expect(left(deep, { intra: '2', inter: '1' })).toEqual([0, 3]);
    // InterP computes 1/16 for the group after turn 1, although IntraP retains only one of its members.
    expect(left(deep, { intra: '4/1', inter: '2' })).toEqual([0, 1, 2, 3, 6, 8, 10, 11, 12, 13]);
  });

  test('the backed-up reward of a turn includes only retained continuations', () => {
    const { credited } = mars.credit(deep, { inter: '1' }).intermediate;
    expect([...credited.subarray(0, 4)]).toEqual([0, 0.5, 1, 1]);
    const pruned = mers.credit(deep, { intra: '4/1' }).intermediate;
    // S is still 3: (0 + 0.9 * 0.5) / 2 for turn 6, and (0.5 + 0.9 * 0.225) / 3 for turn 1 without its pruned child.
    expectClose([pruned.credited[6], pruned.credited[1]], [0.225, 0.7025 / 3], 1e-12);
    expect(pruned.credited[7]).toBeNaN();
  });

  test('a response group with one retained member has advantage 0', () => {
    const [single] = mars.credit(firsts(0, 1, 0.25), { intra: '1' }).advantage.subarray(1, 2);
    expect(single).toBe(0);
  });

  test('InterP treats two variances as tied only if they are equal in float64', () => {
    // prune-0 of credit.json: mean 0.4, squares 0.88 / 8 in both
    const variances = [
      [0, 0, 0.4, 0.8, 0.4, 0.2, 1, 0.4],
      [0.4, 0, 0, 0.8, 0.2, 0.8, 0.2, 0.8],
    ];
    const turns = variances.flatMap((rewards, parent) => rewards.map((reward) => [parent, reward] as const));
    const group = treeOf([[-1, 0], [-1, 0], ...turns]);
    expect(left(group, { inter: '1' })).toEqual([0, 1, 10, 11, 12, 13, 14, 15, 16, 17]);
  });
});

describe('properties of the MURPHY rules', () => {
  test('MaRS credits a turn with the best reward of its subtree, and at least with its own reward', () => {
    fc.assert(
      fc.property(trees, (group) => {
        const best = group.turns.map(({ reward }) => reward);
        for (let turn = best.length - 1; turn >= 0; turn--) {
          const { parent } = group.turns[turn];
          if (parent >= 0) best[parent] = Math.max(best[parent], best[turn]);
        }
        const { credited } = mars.credit(group, {}).intermediate;
        expect([...credited]).toEqual(best);
        group.turns.forEach(({ reward }, turn) => {
          expect(credited[turn]).toBeGreaterThanOrEqual(reward);
        });
      }),
    );
  });

  test.each(both)('%s: a higher reward of one turn lowers no credited reward', (_, rule) => {
    fc.assert(
      fc.property(trees, fc.nat(), fc.integer({ min: 1, max: 10 }), (group, pick, tenths) => {
        const raised = pick % group.turns.length;
        const turns = group.turns.map((turn, index) =>
          index === raised ? { ...turn, reward: turn.reward + tenths / 10 } : turn,
        );
        const before = rule.credit(group, {}).intermediate.credited;
        const after = rule.credit({ ...group, turns }, {}).intermediate.credited;
        for (let turn = 0; turn < turns.length; turn++) expect(after[turn]).toBeGreaterThanOrEqual(before[turn]);
      }),
    );
  });

  test('MeRS with gamma 0 credits a continued turn with its reward over Z', () => {
    fc.assert(
      fc.property(trees, fc.constantFrom('depth', 'components'), (group, normalizer) => {
        const s = computeDepths(group);
        const S = Math.max(...s);
        const inner = families(group);
        const { credited } = mers.credit(group, { gamma: 0, normalizer }).intermediate;
        const Z = (turn: number) => (inner.has(turn) ? (normalizer === 'depth' ? S - s[turn] + 1 : 2) : 1);
        expectClose(
          credited,
          group.turns.map(({ reward }, turn) => reward / Z(turn)),
          1e-12,
        );
      }),
    );
  });

  test('both normalizers of MeRS agree if no path has more than two turns', () => {
    const flat = trees.map((group) =>
      treeOf(
        group.turns.map(({ parent, reward }) => [parent >= 0 && group.turns[parent].parent < 0 ? parent : -1, reward]),
      ),
    );
    fc.assert(
      fc.property(flat, (group) => {
        const by = (normalizer: string) => mers.credit(group, { normalizer, maxTurns: 2 }).advantage;
        expectClose(by('components'), by('depth'), 1e-12);
      }),
    );
  });

  test.each(both)('%s advantages of a response group sum to 0 with and without pruning', (_, rule) => {
    fc.assert(
      fc.property(trees, prunings, (group, pruning) => {
        const { advantage } = rule.credit(group, pruning);
        for (const members of families(group).values()) {
          const sum = members.reduce((total, turn) => total + (Number.isNaN(advantage[turn]) ? 0 : advantage[turn]), 0);
          expectClose([sum], [0], 1e-9);
        }
      }),
    );
  });

  test('GRPO-MT equals GRPO-OR on chains', () => {
    const rollouts = fc.array(
      fc.record({ turns: fc.array(fc.constantFrom(0, 0.5), { maxLength: 3 }), outcome: fc.constantFrom(0, 0.3, 1) }),
      { maxLength: 9 },
    );
    fc.assert(
      fc.property(rollouts, fc.constantFrom('turnwise', 'trl', 'verl', 'rllm', 'dr-grpo'), (generated, profile) => {
        const group = groupOf(generated);
        const [mt, or] = ['grpo-mt', 'grpo-or'].map((name) => findRule(name).credit(group, { profile }).advantage);
        expect(mt).toEqual(or);
      }),
    );
  });
});

describe('tied groups under the MURPHY rules', () => {
  const range = { bestOutcome: 1, worstOutcome: 0 };
  const group = treeOf([
    [-1, 0],
    [-1, 1],
    [0, 1],
    [0, 1],
  ]);

  test('a group in which every failed attempt was repaired ties under MaRS and not under MeRS', () => {
    expect(tieOf(group, mars, {}, range)).toBe('other');
    expect(tieOf(group, mers, {}, range)).toBeUndefined();
  });

  test('a group with different refinements does not tie, unless pruning leaves one refinement', () => {
    const turns = [...group.turns, { parent: 0, reward: 0 }];
    expect(tieOf({ ...group, turns }, mars, {}, range)).toBeUndefined();
    // Pruning retains one attempt and one refinement of it, so no turns are compared.
    expect(tieOf({ ...group, turns }, mars, { intra: '1/1' }, range)).toBeDefined();
  });
});

describe('parameters and errors of the MURPHY rules', () => {
  test('pruning lists are parsed from text and from numbers', () => {
    expect(parseRuleParameters(mars, { intra: [4, 8], inter: '4,2' })).toEqual({ intra: '4/8', inter: '4/2' });
    expect(() => parseRuleParameters(mars, { intra: '4/0' })).toThrow('intra: "4/0" is not');
    expect(() => parseRuleParameters(mars, { gamma: 1 })).toThrow('unknown parameter "gamma"');
  });

  test('the run controls of MeRS include mersGamma and mersNormalizer, and no turn budget', () => {
    const names = ruleControls(mers).map(({ name }) => name);
    expect(names).toEqual(['mersGamma', 'mersNormalizer', 'intra', 'inter', 'profile']);
  });

  const message = (group: Group, parameters: ParameterValues = {}) => {
    for (const rule of [mars, mers]) expect(() => rule.compared(group, parameters)).toThrow();
    try {
      mars.credit(group, parameters);
    } catch (error) {
      return error instanceof CreditError ? error.message : String(error);
    }
    return 'no error';
  };

  test.each([NaN, Infinity])('MaRS throws an error for a reward of %s', (value) => {
    expect(message(firsts(0, value))).toBe(`group "tree", turn 1, field "reward": ${value} is not a finite number`);
  });

  test('MaRS throws an error that names the first turn beyond maxTurns', () => {
    const group = treeOf([
      [-1, 0],
      [0, 0],
      [0, 0],
      [2, 0],
      [1, 0],
    ]);
    expect(message(group, { maxTurns: 2 })).toBe(
      'group "tree", turn 3, field "parent": this is turn 3 of its path, beyond maxTurns 2',
    );
    expect(mers.credit(group, { maxTurns: 3 }).advantage).toHaveLength(5);
  });

  test('MaRS throws an error for a parent that does not precede its child', () => {
    expect(() => mars.credit(treeOf([[0, 0]]), {})).toThrow('group "tree", turn 0, field "parent": 0 is not -1');
  });

  test('MaRS and MeRS return no credit for an empty group', () => {
    expect(mars.credit({ id: 'empty', turns: [] }, { intra: '2' }).advantage).toHaveLength(0);
    expect(mers.compared({ id: 'empty', turns: [] }, {})).toEqual([]);
  });
});
