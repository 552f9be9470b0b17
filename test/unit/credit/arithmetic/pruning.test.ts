import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  deviations,
  type PruningValues,
  type ResponseGroup,
  responseGroups,
  retainedTurns,
  variance,
} from '../../../../src/credit/arithmetic/responseGroups.ts';
import { RULES } from '../../../../src/credit/rules.ts';
import type { Group, Turn } from '../../../../src/rollouts/forest.ts';

/** Computes IntraP and InterP from their definitions. For each turn number, it scans all response groups. */
function byDefinition(group: Group, groups: readonly ResponseGroup[], values: PruningValues): boolean[] {
  const reward = group.turns.map((turn) => turn.reward);
  const { intra: m, inter: p } = values;
  const largest = (scores: ArrayLike<number>, count: number) => {
    const order = Array.from(scores, (_, index) => index).sort((a, b) => scores[b] - scores[a]);
    const retained = new Set(order.slice(0, count));
    return order.map((_, index) => retained.has(index));
  };
  const intra = reward.map(() => false);
  for (const { parent, turn, members } of groups) {
    if (parent >= 0 && !intra[parent]) continue;
    const retained = largest(deviations(reward, members), m[turn - 1] ?? members.length);
    members.forEach((member, index) => {
      intra[member] = retained[index];
    });
  }
  const inter = reward.map(() => false);
  for (let turn = 1; groups.some((family) => family.turn === turn); turn++) {
    const left = groups.filter((family) => family.turn === turn && (family.parent < 0 || inter[family.parent]));
    const scores = left.map(({ members }) => variance(deviations(reward, members)));
    const retained = largest(scores, p[turn - 2] ?? left.length);
    for (const { members } of left.filter((_, index) => retained[index])) {
      for (const member of members) inter[member] = true;
    }
  }
  return reward.map((_, turn) => intra[turn] && inter[turn]);
}

// Forests from stars to chains. Rewards are tenths, so sums that are equal on paper can differ in the last bit.
const forests = fc
  .record({
    turns: fc.array(fc.tuple(fc.nat(), fc.integer({ min: -10, max: 10 })), { minLength: 1, maxLength: 60 }),
    back: fc.integer({ min: 1, max: 60 }),
  })
  .map(({ turns, back }): Group => {
    const parent = (pick: number, turn: number) => (pick % 9 === 0 ? -1 : turn - 1 - (pick % Math.min(back, turn + 1)));
    return {
      id: 'forest',
      turns: turns.map(([pick, tenths], turn) => ({ parent: parent(pick, turn), reward: tenths / 10 })),
    };
  });
const lists = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 8 });

/** Creates a chain of turns with each field that rules read, and counts the reads of the fields. */
function countedChain(turns: number) {
  const count = { reads: 0 };
  const createTurn = (index: number): Turn => {
    const last = index === turns - 1;
    const fields: Turn = {
      ...{
        parent: index - 1,
        reward: (index % 7) / 10,
        passed: [index % 2, 1],
        tokens: 1,
        logProb: -1,
        answerLogProb: -1,
        stateValue: 0.5,
        values: [0.1],
      },
      ...{ state: `s${index % 9}`, action: `a${index}`, validates: index % 4 === 0 },
      ...(last ? { outcome: 1, solved: true } : {}),
    };
    return new Proxy(fields, {
      get: (target, name: string) => {
        count.reads++;
        return target[name];
      },
    });
  };
  return { group: { id: 'chain', turns: Array.from({ length: turns }, (_, index) => createTurn(index)) }, count };
}

describe('pruning', () => {
  test('pruning retains the same turns as a direct implementation of its definition', () => {
    fc.assert(
      fc.property(forests, lists, lists, (group, intra, inter) => {
        const groups = responseGroups(group);
        expect(retainedTurns(group, groups, { intra, inter })).toEqual(byDefinition(group, groups, { intra, inter }));
      }),
      { seed: 6, numRuns: 400 },
    );
  });

  test.each([[[]], [[2, 2]], [[1, 1, 1, 1, 1, 1, 1, 1]]])(
    'pruning with lists %j reads each response group a bounded number of times',
    (list) => {
      const turns = 2000;
      let reads = 0;
      const counted = responseGroups(countedChain(turns).group).map(
        (family) =>
          new Proxy(family, {
            get: (target, name: keyof ResponseGroup) => {
              reads++;
              return target[name];
            },
          }),
      );
      retainedTurns(countedChain(turns).group, counted, { intra: list, inter: list });
      expect(reads).toBeGreaterThanOrEqual(turns);
      expect(reads).toBeLessThan(20 * turns);
    },
  );
});

test.each(RULES.map((rule) => [rule.name, rule] as const))(
  '%s reads fields equally often per turn in long and in short chains',
  (_, rule) => {
    const reads = (turns: number) => {
      const { group, count } = countedChain(turns);
      rule.credit(group, {});
      return count.reads / turns;
    };
    const [short, long] = [reads(200), reads(2000)];
    expect(short).toBeGreaterThan(0);
    expect(long).toBeLessThan(1.1 * short + 1);
  },
);
