import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CreditRule } from '../../../src/credit/rule.ts';
import { RULES } from '../../../src/credit/rules.ts';
import { defaults, type ParameterValues } from '../../../src/parameters/parameters.ts';
import { CounterRandom } from '../../../src/random/counter.ts';
import type { Group, Turn } from '../../../src/rollouts/forest.ts';
import { permuted, randomGroups } from '../../randomForests.ts';
import { expectClose } from '../../vectorFile.ts';

const BOTH = ['reward', 'outcome'] as const;

/**
 * Returns random groups whose numbers are multiples of 1/8. Their sums, shifts and halves are exact, so equal values
 * remain equal.
 */
function groupsOf(rule: CreditRule, seed: number): Group[] {
  const eighths = (value: number) => Math.round(8 * value) / 8;
  return randomGroups(rule, seed, [1, 2, 3, 8, 20]).map((group) => changed(group, eighths));
}

/** Returns the group with `change` applied to its rewards, outcomes and values, or only to the named fields. */
function changed(
  group: Group,
  change: (value: number) => number,
  fields: readonly string[] = [...BOTH, 'values'],
): Group {
  const turns = group.turns.map((turn): Turn => {
    const { reward, outcome, values, stateValue } = turn;
    return {
      ...turn,
      ...(fields.includes('reward') ? { reward: change(reward) } : {}),
      ...(fields.includes('outcome') && outcome !== undefined ? { outcome: change(outcome) } : {}),
      ...(fields.includes('values') && values ? { values: values.map(change) } : {}),
      ...(fields.includes('values') && stateValue !== undefined ? { stateValue: change(stateValue) } : {}),
    };
  });
  return { ...group, turns };
}

const seeds = fc.integer({ min: 0, max: 1e6 });
const runs = { numRuns: 25 };

/** Returns the advantages of the tokens under a token rule, otherwise of the turns. */
function advantages(rule: CreditRule, group: Group, parameters: ParameterValues): Float64Array {
  const { advantage, tokens } = rule.credit(group, parameters);
  return tokens?.advantages ?? advantage;
}

const all = RULES.map((rule) => ({ name: rule.name, rule, laws: rule.laws ?? {} }));

test.each(all)('$name: credit does not depend on the order of the rollouts', ({ rule }) => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const random = new CounterRandom(seed, 9);
      for (const group of groupsOf(rule, seed)) {
        const order = shuffled(random, group.turns.filter(({ parent }) => parent === -1).length);
        const { group: mixed, from } = permuted(group, order);
        for (const parameters of [{}, defaults(rule.parameters)]) {
          const [plain, moved] = [rule.credit(group, parameters), rule.credit(mixed, parameters)];
          const expected = from.map((turn) => plain.advantage[turn]);
          expectClose(moved.advantage, expected, 1e-9);
        }
      }
    }),
    runs,
  );
});

function shuffled(random: CounterRandom, count: number): number[] {
  const indices = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const target = random.integer(last + 1);
    [indices[last], indices[target]] = [indices[target], indices[last]];
  }
  return indices;
}

test.each(all.filter(({ laws }) => laws.shift))(
  '$name: adding a constant to all compared rewards does not change the advantages',
  ({ rule, laws: { shift, parameters = {} } }) => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: -80, max: 80 }), (seed, eighths) => {
        for (const group of groupsOf(rule, seed)) {
          const moved = changed(group, (value) => value + eighths / 8, shift);
          expectClose(advantages(rule, moved, parameters), advantages(rule, group, parameters), 1e-9);
        }
      }),
      runs,
    );
  },
);

test.each(all.filter(({ laws }) => laws.scale))(
  '$name: a factor on all rewards has the declared effect on the advantages: $laws.scale',
  ({ rule, laws: { scale, parameters = {} } }) => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(0.25, 0.5, 2, 8), (seed, factor) => {
        for (const group of groupsOf(rule, seed)) {
          const scaled = changed(group, (value) => value * factor);
          const plain = advantages(rule, group, parameters);
          const expected = scale === 'multiplied' ? plain.map((A) => A * factor) : plain;
          expectClose(advantages(rule, scaled, parameters), expected, 1e-9);
        }
      }),
      runs,
    );
  },
);

test.each(all.filter(({ laws }) => laws.zeroSums))(
  '$name: the advantages of each comparison sum to 0',
  ({ rule, laws: { zeroSums, parameters = {} } }) => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const lists = groupsOf(rule, seed).flatMap((group) => zeroSums?.(rule.credit(group, parameters), group) ?? []);
        expect(lists.length).toBeGreaterThan(0);
        for (const list of lists) expectClose([list.reduce((sum, A) => sum + A, 0)], [0], 1e-9);
      }),
      runs,
    );
  },
);

test.each(all)('$name: the turns of a rollout share one advantage exactly if the rule declares it', ({ rule }) => {
  const groups = randomGroups(rule, 1, [8, 33]);
  const parameters = defaults(rule.parameters);
  const shares = groups.every((group) => {
    const { advantage } = rule.credit(group, parameters);
    return group.turns.every(({ parent }, turn) => parent < 0 || Math.abs(advantage[turn] - advantage[parent]) < 1e-12);
  });
  expect(shares).toBe(rule.sharesInRollout === true);
});
