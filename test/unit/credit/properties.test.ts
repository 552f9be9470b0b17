import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chains, endings, turnLevels } from '../../../src/credit/arithmetic/chains.ts';
import type { Credit, CreditRule } from '../../../src/credit/rule.ts';
import { RULES } from '../../../src/credit/rules.ts';
import { defaults, type ParameterValues } from '../../../src/parameters/parameters.ts';
import { CounterRandom } from '../../../src/random/counter.ts';
import { type Group, type Turn, trajectories } from '../../../src/rollouts/forest.ts';
import { permuted, randomGroups } from '../../randomForests.ts';
import { expectClose } from '../../vectorFile.ts';

/** What holds for a rule by its formulas. */
interface Laws {
  /** Parameters under which the laws are exact: without epsilon where they divide by a deviation. */
  readonly parameters?: ParameterValues;
  /** Adding a number to these fields of all turns changes nothing. */
  readonly shift?: readonly ('reward' | 'outcome')[];
  /** Multiplying rewards, outcomes and values by a number leaves advantages as they are, multiplies them, or is not seen. */
  readonly scale: 'same' | 'multiplied' | 'unread';
  /** Lists of numbers, each of which sums to 0. */
  readonly zero?: (group: Group, credit: Credit, parameters: ParameterValues) => (readonly number[])[];
}

const EXACT = { epsilon: 0 };
const BOTH = ['reward', 'outcome'] as const;

/** Advantages of the last turns: one a trajectory. */
const lastTurns: NonNullable<Laws['zero']> = (group, { advantage }) => [
  trajectories(group).map((path) => advantage[path.at(-1) ?? 0]),
];

/** Advantages of the turns that share a parent. */
const responseGroups: NonNullable<Laws['zero']> = (group, { advantage }) =>
  [...by(group, ({ parent }) => String(parent)).values()].map((turns) => turns.map((turn) => advantage[turn]));

const LAWS: Readonly<Record<string, Laws>> = {
  'grpo-or': { parameters: EXACT, shift: BOTH, scale: 'same', zero: lastTurns },
  'grpo-mt': { parameters: EXACT, shift: BOTH, scale: 'same', zero: lastTurns },
  // The sum counts as many rewards as there are turns, so rewards do not shift.
  'grpo-mr': { parameters: EXACT, shift: ['outcome'], scale: 'same', zero: lastTurns },
  'dr-grpo': { shift: BOTH, scale: 'multiplied', zero: lastTurns },
  rloo: { shift: BOTH, scale: 'multiplied', zero: lastTurns },
  'mt-grpo': {
    parameters: EXACT,
    shift: BOTH,
    scale: 'same',
    zero: (group, credit, parameters) => [
      ...lastTurns(group, credit, parameters),
      ...turnLevels(chains(group)).map((level) => level.map((turn) => credit.intermediate.turnAdvantage[turn])),
    ],
  },
  'mt-grpo-exact': {
    parameters: EXACT,
    shift: BOTH,
    scale: 'same',
    zero: (group, { intermediate: { turnAdvantage, outcomeAdvantage } }) => {
      const there = (values: readonly number[]) => values.filter((value) => !Number.isNaN(value));
      const siblings = [...by(group, ({ parent }) => String(parent)).values()];
      return [[...outcomeAdvantage], ...siblings.map((turns) => turns.map((turn) => turnAdvantage[turn]))].map(there);
    },
  },
  // What the critic expects scales too; nothing is compared within the group.
  vineppo: { scale: 'multiplied' },
  'mt-ppo': { scale: 'multiplied' },
  'turn-ppo': { scale: 'multiplied' },
  tapo: { scale: 'multiplied' },
  'ppo-or': { scale: 'multiplied' },
  'ppo-mr': { scale: 'multiplied' },
  'murphy-mars': { parameters: EXACT, shift: ['reward'], scale: 'same', zero: responseGroups },
  // Z divides turns that are continued alone, so rewards do not shift.
  'murphy-mers': { parameters: { ...EXACT, gamma: 0.5 }, scale: 'same', zero: responseGroups },
  // Leaves sum to 0, weights of turns from the same one to 1.
  'tree-grpo': {
    parameters: EXACT,
    shift: BOTH,
    scale: 'same',
    zero: (group, { advantage, intermediate: { weight } }) => [
      endings(group).last.map((turn) => advantage[turn]),
      ...[...by(group, ({ parent }) => String(parent)).values()].map((turns) => [
        -1,
        ...turns.map((turn) => weight[turn]),
      ]),
    ],
  },
  verpo: {
    shift: BOTH,
    scale: 'unread',
    zero: (group, { intermediate }) => [
      [...intermediate.turnAdvantage],
      trajectories(group).map(([first]) => intermediate.trajectoryAdvantage[first]),
    ],
  },
  // Without the prior a state's value is the mean of its actions' values, weighed by first visits.
  rtmc: {
    parameters: { kappa: 0, gamma: 0.5 },
    scale: 'multiplied',
    zero: (group, { advantage }) => {
      const visits = trajectories(group).flatMap((path) => {
        const edge = (turn: number) => `${group.turns[turn].state} ${group.turns[turn].action}`;
        return path.filter((turn, place) => path.findIndex((other) => edge(other) === edge(turn)) === place);
      });
      const states = [...new Set(visits.map((turn) => group.turns[turn].state))];
      return states.map((state) =>
        visits.filter((turn) => group.turns[turn].state === state).map((turn) => advantage[turn]),
      );
    },
  },
  'grpo-step': { parameters: { ...EXACT, gamma: 0.5 }, scale: 'same', zero: (_, { advantage }) => [[...advantage]] },
  gigpo: {
    parameters: { gamma: 0.5 },
    scale: 'multiplied',
    zero: (group, { intermediate }) => [
      trajectories(group).map(([first]) => intermediate.episodeAdvantage[first]),
      ...[...by(group, ({ state }) => String(state)).values()].map((turns) =>
        turns.map((turn) => intermediate.stepAdvantage[turn]),
      ),
    ],
  },
  igpo: {
    parameters: { ...EXACT, igpoPool: 'separate', pool: 'separate' },
    shift: BOTH,
    scale: 'same',
    zero: lastTurns,
  },
  // Progress is the same wherever scores begin.
  'turn-credit': {
    parameters: { scores: 'reward', start: 'unscored' },
    shift: BOTH,
    scale: 'multiplied',
    zero: (group, { intermediate: { level, centredCredit } }) => {
      const paths = trajectories(group);
      const weighed = paths.map((path) => path.map((turn) => Number(group.turns[turn].tokens) * centredCredit[turn]));
      return [paths.map(([first]) => level[first]), ...weighed];
    },
  },
  // What turns change sums to 0 over the rollouts that stand behind one prefix.
  tempo: {
    parameters: EXACT,
    shift: BOTH,
    scale: 'same',
    zero: (group, { advantage, intermediate }) => {
      const paths = trajectories(group);
      const beginning = new Map<string, number[]>();
      for (const path of paths) {
        path.forEach((turn, place) => {
          const key = JSON.stringify([
            ...path.slice(0, place).map((before) => [group.turns[before].state, group.turns[before].action]),
            group.turns[turn].state,
          ]);
          beginning.set(key, [...(beginning.get(key) ?? []), turn]);
        });
      }
      return [
        paths.map(([first]) => intermediate.outcomeAdvantage[first]),
        ...[...beginning.values()].map((turns) =>
          turns.map((turn) => advantage[turn] - intermediate.outcomeAdvantage[turn]),
        ),
      ];
    },
  },
};

/** Turns by a key. */
function by(group: Group, key: (turn: Turn) => string): Map<string, number[]> {
  const lists = new Map<string, number[]>();
  group.turns.forEach((turn, index) => {
    lists.set(key(turn), [...(lists.get(key(turn)) ?? []), index]);
  });
  return lists;
}

/**
 * Random groups whose numbers are eighths: sums, shifts and halves of them are exact, so that what is equal stays so.
 */
function groupsOf(rule: CreditRule, seed: number): Group[] {
  const eighths = (value: number) => Math.round(8 * value) / 8;
  return randomGroups(rule, seed, [1, 2, 3, 8, 20]).map((group) => changed(group, eighths));
}

/** The group with its rewards, outcomes and values changed, or some of these fields. */
function changed(
  group: Group,
  change: (value: number) => number,
  fields: readonly string[] = [...BOTH, 'values'],
): Group {
  const turns = group.turns.map((turn): Turn => {
    const { reward, outcome, values, worth } = turn;
    return {
      ...turn,
      ...(fields.includes('reward') ? { reward: change(reward) } : {}),
      ...(fields.includes('outcome') && outcome !== undefined ? { outcome: change(outcome) } : {}),
      ...(fields.includes('values') && values ? { values: values.map(change) } : {}),
      ...(fields.includes('values') && worth !== undefined ? { worth: change(worth) } : {}),
    };
  });
  return { ...group, turns };
}

const seeds = fc.integer({ min: 0, max: 1e6 });
const runs = { numRuns: 25 };

/** Advantages of the turns, or of all tokens. */
function advantages(rule: CreditRule, group: Group, parameters: ParameterValues): Float64Array {
  const { advantage, tokens } = rule.credit(group, parameters);
  return tokens?.advantages ?? advantage;
}

test('LAWS speaks of rules that there are', () => {
  const names = RULES.map(({ name }) => name);
  expect(Object.keys(LAWS).filter((name) => !names.includes(name))).toEqual([]);
});

// A rule without laws of its own still answers to the order of its rollouts.
const all = RULES.map((rule) => ({ name: rule.name, rule, laws: LAWS[rule.name] ?? {} }));

test.each(all)('$name: the order of the rollouts does not matter', ({ rule }) => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const random = new CounterRandom(seed, 9);
      for (const group of groupsOf(rule, seed)) {
        const places = shuffled(random, group.turns.filter(({ parent }) => parent === -1).length);
        const { group: mixed, from } = permuted(group, places);
        for (const parameters of [{}, defaults(rule.parameters)]) {
          const [plain, moved] = [rule.credit(group, parameters), rule.credit(mixed, parameters)];
          const want = from.map((turn) => plain.advantage[turn]);
          expectClose(moved.advantage, want, 1e-9);
        }
      }
    }),
    runs,
  );
});

function shuffled(random: CounterRandom, count: number): number[] {
  const places = Array.from({ length: count }, (_, place) => place);
  for (let last = count - 1; last > 0; last--) {
    const other = random.integer(last + 1);
    [places[last], places[other]] = [places[other], places[last]];
  }
  return places;
}

test.each(all.filter(({ laws }) => laws.shift))(
  '$name: adding the same to all rewards that are compared changes nothing',
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

const AFTER_SCALING = { same: 'the same', multiplied: 'multiplied too', unread: 'as if nothing had happened' } as const;

test.each(all.map((one) => ({ ...one, outcome: AFTER_SCALING[one.laws.scale] })))(
  '$name: after all rewards were multiplied, advantages are $outcome',
  ({ rule, laws: { scale, parameters = {} } }) => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(0.25, 0.5, 2, 8), (seed, factor) => {
        for (const group of groupsOf(rule, seed)) {
          const scaled = changed(group, (value) => value * factor);
          const plain = advantages(rule, group, parameters);
          const want = scale === 'multiplied' ? plain.map((A) => A * factor) : plain;
          expectClose(advantages(rule, scaled, parameters), want, 1e-9);
        }
      }),
      runs,
    );
  },
);

test.each(all.filter(({ laws }) => laws.zero))(
  '$name: what is compared sums to 0',
  ({ rule, laws: { zero, parameters = {} } }) => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const lists = groupsOf(rule, seed).flatMap(
          (group) => zero?.(group, rule.credit(group, parameters), parameters) ?? [],
        );
        expect(lists.length).toBeGreaterThan(0);
        for (const list of lists) expectClose([list.reduce((sum, A) => sum + A, 0)], [0], 1e-9);
      }),
      runs,
    );
  },
);
