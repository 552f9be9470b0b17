import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tieOf } from '../../../../../src/credit/arithmetic/degenerate.ts';
import { normalize } from '../../../../../src/credit/arithmetic/normalize.ts';
import { findRule } from '../../../../../src/credit/rules.ts';
import { MEETING } from '../../../../../src/credit/telling/examples.ts';
import { createSearchEnvironment } from '../../../../../src/environments/search/searchEnvironment.ts';
import { SEARCH_VOCABULARY, spell } from '../../../../../src/environments/search/vocabulary.ts';
import { defaults } from '../../../../../src/parameters/parameters.ts';
import type { Group, Turn } from '../../../../../src/rollouts/forest.ts';
import { permuted } from '../../../../randomForests.ts';
import { anyWalks, type Step, type Walk, walks } from '../../../../statefulGroups.ts';
import { expectClose, published } from '../../../../vectorFile.ts';

const rtmc = findRule('rtmc');
const grpoStep = findRule('grpo-step');

describe('rtmc by hand', () => {
  test('the example', () => {
    // G: 0.99 and 1 for those who fix, 0 for the others; p = 2/4.
    // Q(start, look) = 1.98/3 = 0.66, Q(start, guess) = 0, V(start) = (1.98 + 2 * 0.5) / (4 + 2) = 0.49667
    // Q(seen, fix) = 1, Q(seen, give up) = 0, V(seen) = (2 + 2 * 0.5) / (3 + 2) = 0.6
    const { advantage, intermediate } = rtmc.credit(MEETING, {});
    expectClose(intermediate.return, [0.99, 1, 0.99, 1, 0, 0, 0], 1e-12);
    expectClose(intermediate.q, [0.66, 1, 0.66, 1, 0.66, 0, 0], 1e-12);
    const [start, seen] = [2.98 / 6, 0.6];
    expectClose(intermediate.v, [start, seen, start, seen, start, seen, start], 1e-12);
    expect([...intermediate.visits]).toEqual([4, 3, 4, 3, 4, 3, 4]);
    const look = 0.66 - start;
    expectClose(advantage, [look, 0.4, look, 0.4, look, -0.6, -start], 1e-12);
  });

  test('a rollout that takes an edge twice counts where it takes it first', () => {
    const loop = { state: 's', action: 'again', reward: 1 };
    const group = walks([{ steps: [loop, loop, { state: 's', action: 'stop' }] }]);
    // gamma 0.5: G = 1 + 0.5, 1, 0. Q(again) = 1.5 for both its turns; V = (1.5 + 0) / 2.
    const { advantage, intermediate } = rtmc.credit(group, { gamma: 0.5, kappa: 0 });
    expectClose(intermediate.return, [1.5, 1, 0], 1e-12);
    expectClose(intermediate.q, [1.5, 1.5, 0], 1e-12);
    expect([...intermediate.visits]).toEqual([2, 2, 2]);
    expectClose(advantage, [0.75, 0.75, -0.75], 1e-12);
  });

  test('the bonus is paid to turns that validate', () => {
    const steps: Step[] = [
      { state: 's', action: 'test', validates: true },
      { state: 't', action: 'finish', validates: false },
    ];
    const { intermediate } = rtmc.credit(walks([{ steps, outcome: 1 }]), { gamma: 1, bonus: 0.25 });
    expectClose(intermediate.return, [1.25, 1], 1e-12);
  });

  test('scale std divides by the population deviation and does not centre', () => {
    // One state, kappa 2, p 0: returns 2, 0; V = 2 / 4 = 0.5; A = 1.5, -0.5: mean 0.5, deviation 1
    const group = walks([
      { steps: [{ state: 's', action: 'a', reward: 2 }] },
      { steps: [{ state: 's', action: 'b' }] },
    ]);
    expectClose(rtmc.credit(group, {}).advantage, [1.5, -0.5], 1e-12);
    expectClose(rtmc.credit(group, { scale: 'std' }).advantage, [1.5 / 1.000001, -0.5 / 1.000001], 1e-12);
  });

  test('"a" then "bc" is not "ab" then "c"', () => {
    const step = (state: string, action: string): Walk => ({ steps: [{ state, action, reward: 1 }] });
    const { intermediate } = rtmc.credit(walks([step('a', 'bc'), step('ab', 'c')]), {});
    expect([...intermediate.visits]).toEqual([1, 1]);
  });

  test('no turns', () => {
    expect(rtmc.credit({ id: 'empty', turns: [] }, { scale: 'std' }).advantage).toHaveLength(0);
  });
});

describe('rtmc', () => {
  test('with one state and every action taken once: returns less their mean, kappa 0', () => {
    fc.assert(
      fc.property(anyWalks, (made) => {
        const single = made.map((walk, i) => ({ ...walk, steps: [{ ...walk.steps[0], state: 's', action: `a${i}` }] }));
        const { advantage, intermediate } = rtmc.credit(walks(single), { kappa: 0 });
        const mean = intermediate.return.reduce((sum, G) => sum + G, 0) / single.length;
        const centred = intermediate.return.map((G) => G - mean);
        expectClose(advantage, centred, 1e-9);
      }),
    );
  });

  test('a large kappa pulls V to the share of solved rollouts', () => {
    fc.assert(
      fc.property(anyWalks, (made) => {
        const p = made.filter(({ solved }) => solved).length / made.length;
        const { v } = rtmc.credit(walks(made), { kappa: 1e9 }).intermediate;
        expectClose(
          v,
          v.map(() => p),
          1e-6,
        );
      }),
    );
  });

  test('rollouts that start in one state and never come back visit it once each', () => {
    fc.assert(
      fc.property(anyWalks, (made) => {
        const group = walks(
          made.map(({ steps, ...walk }) => ({ ...walk, steps: [{ ...steps[0], state: 'start' }, ...steps] })),
        );
        const { visits } = rtmc.credit(group, {}).intermediate;
        const first = group.turns.findIndex(({ state }) => state === 'start');
        expect(visits[first]).toBe(made.length);
      }),
    );
  });

  test('without a prior the advantages of a state, weighted by the visits of its edges, sum to 0', () => {
    fc.assert(
      fc.property(anyWalks, (made) => {
        const group = walks(made);
        const { advantage } = rtmc.credit(group, { kappa: 0 });
        const sums = new Map<string, number>();
        let start = 0;
        for (const { steps } of made) {
          const own = group.turns.slice(start, start + steps.length);
          const firsts = own.filter(
            (turn, k) => own.findIndex(({ state, action }) => state === turn.state && action === turn.action) === k,
          );
          for (const turn of firsts) {
            const state = String(turn.state);
            sums.set(state, (sums.get(state) ?? 0) + advantage[group.turns.indexOf(turn)]);
          }
          start += steps.length;
        }
        expectClose([...sums.values()], new Array(sums.size).fill(0), 1e-9);
      }),
    );
  });

  test('degenerate exactly where no advantage is left', () => {
    const range = { bestOutcome: 1, worstOutcome: 0 };
    fc.assert(
      fc.property(anyWalks, fc.constantFrom(0, 2), fc.boolean(), (made, kappa, flat) => {
        const calm = { reward: 0, validates: false };
        const group = walks(
          flat ? made.map(({ steps }) => ({ steps: steps.map((step) => ({ ...step, ...calm })), outcome: 0 })) : made,
        );
        const largest = Math.max(...rtmc.credit(group, { kappa }).advantage.map(Math.abs));
        expect(tieOf(group, rtmc, { kappa }, range) !== undefined).toBe(largest < 1e-9);
      }),
    );
  });

  const single: Turn = { parent: -1, reward: 0, state: 's', action: 'a', solved: false };
  test.each([
    [{ state: undefined }, 'field "state": missing; this rule compares turns by it'],
    [{ action: undefined }, 'field "action": missing; this rule compares turns by it'],
    [{ solved: undefined }, 'field "solved": missing on the last turn of a trajectory'],
    [{ outcome: Infinity }, 'field "outcome": Infinity is not a finite number'],
    [{ reward: NaN }, 'field "reward": NaN is not a finite number'],
  ] as [Partial<Turn>, string][])('refuses %o', (wrong, message) => {
    const group = { id: 'g', turns: [single, { ...single, ...wrong }] };
    expect(() => rtmc.credit(group, {})).toThrow(`group "g", turn 1, ${message}`);
  });
});

describe('grpo-step', () => {
  test("alibaba/ROLL agentic/utils.py (derived from its code): a turn's return is its reward and the next one's, discounted", () => {
    type Inputs = { turn_rewards: number[]; gamma: number };
    const { inputs, expected, tolerance } = published<Inputs, number[]>('derived-roll-turn-return');
    const [first, second, last] = inputs.turn_rewards;
    const turns: Turn[] = [
      { parent: -1, reward: first },
      { parent: 0, reward: second },
      { parent: 1, reward: 0, outcome: last },
    ];
    const { intermediate } = findRule('grpo-step').credit({ id: 'roll', turns }, { gamma: inputs.gamma });
    expectClose(intermediate.return, expected, tolerance);
  });

  test('by hand', () => {
    // gamma 0.5: G = 0.5 + 0.5 * 1 = 1, 1, 0; mean 2/3, std sqrt((1/9 + 1/9 + 4/9) / 2) = 0.57735
    const group = walks([
      {
        steps: [
          { state: 's', action: 'a', reward: 0.5 },
          { state: 't', action: 'b' },
        ],
        outcome: 1,
      },
      { steps: [{ state: 's', action: 'a' }], outcome: 0 },
    ]);
    const { advantage, intermediate } = grpoStep.credit(group, { gamma: 0.5 });
    expectClose(intermediate.return, [1, 1, 0], 1e-12);
    expectClose(advantage, [0.57735, 0.57735, -1.1547], 1e-5);
  });

  test('advantages have mean 0, and are those of normalised returns', () => {
    fc.assert(
      fc.property(anyWalks, fc.constantFrom(0, 0.25), (made, bonus) => {
        const { advantage, intermediate } = grpoStep.credit(walks(made), { bonus });
        expectClose([advantage.reduce((sum, A) => sum + A, 0) / advantage.length], [0], 1e-9);
        expectClose(advantage, normalize(intermediate.return).advantage, 1e-12);
      }),
    );
  });

  test('needs neither states nor outcomes', () => {
    const turns = [1, 2, 3].map((reward): Turn => ({ parent: -1, reward }));
    expectClose(grpoStep.credit({ id: 'g', turns }, {}).advantage, [-0.999999, 0, 0.999999], 1e-6);
  });
});

describe.each(['rtmc', 'grpo-step', 'gigpo'].map((name) => [name, findRule(name)] as const))('%s', (_, rule) => {
  const credit = (group: Group) => rule.credit(group, defaults(rule.parameters)).advantage;

  test('an outcome that is missing counts as 0', () => {
    const steps = [{ state: 's', action: 'a', reward: 0.5 }];
    const other = { steps: [{ state: 's', action: 'b', reward: 0.1 }], outcome: 0.3 };
    expect(credit(walks([{ steps }, other]))).toEqual(credit(walks([{ steps, outcome: 0 }, other])));
  });

  test('the order of the rollouts does not matter', () => {
    fc.assert(
      fc.property(anyWalks, fc.nat(), (made, seed) => {
        const group = walks(made);
        const order = [...made.keys()].sort((a, b) => ((a * 7919 + seed) % 31) - ((b * 7919 + seed) % 31));
        const { group: moved, from } = permuted(group, order);
        const advantage = credit(group);
        const want = from.map((turn) => advantage[turn]);
        expectClose(credit(moved), want, 1e-9);
      }),
    );
  });

  test('the names of states and actions do not matter', () => {
    fc.assert(
      fc.property(anyWalks, (made) => {
        const renamed = (name: string) => `${name.length}:${[...name].reverse().join('')}`;
        const other = made.map((walk) => ({
          ...walk,
          steps: walk.steps.map((step) => ({ ...step, state: renamed(step.state), action: renamed(step.action) })),
        }));
        expectClose(credit(walks(other)), credit(walks(made)), 1e-12);
      }),
    );
  });

  test('turns of several rollouts may stand between one another', () => {
    const [a1, a2, b1, b2] = walks([
      { steps: ['s', 't'].map((state, i) => ({ state, action: 'a', reward: i })), outcome: 1 },
      { steps: ['s', 't'].map((state, i) => ({ state, action: 'b', reward: -i })), outcome: 0 },
    ]).turns;
    const [A1, A2, B1, B2] = credit({ id: 'g', turns: [a1, a2, b1, b2] });
    const between = { id: 'g', turns: [a1, b1, { ...b2, parent: 1 }, { ...a2, parent: 0 }] };
    expectClose(credit(between), [A1, B1, B2, A2], 1e-12);
  });

  test('reads what the search environment says of its turns', () => {
    const environment = createSearchEnvironment();
    const task = environment.world.tasks[17 * 8 + 3];
    const read = (text: string) => text.split(' ').map((name) => SEARCH_VOCABULARY.names.indexOf(name));
    const turns: Turn[] = [];
    for (const first of ['<think> </think> <search> r3 e17 </search>', '<think> w1 </think> <end>']) {
      for (const answer of [spell([task.answer]), 'v0', 'v1', 'v2']) {
        const episode = environment.begin(task, defaults(environment.controls));
        for (const written of [first, `<think> </think> <answer> ${answer} </answer>`]) {
          const { reward, outcome, solved, state, action } = episode.act(read(written));
          const end = outcome === undefined ? {} : { outcome, solved };
          turns.push({ parent: turns.length % 2 === 0 ? -1 : turns.length - 1, reward, state, action, ...end } as Turn);
        }
      }
    }
    const advantage = credit({ id: 'search', turns });
    expect(advantage[0]).toBeGreaterThan(advantage[8]); // to search, and to skip
    expect(advantage[1]).toBeGreaterThan(advantage[3]); // the right answer, and another
  });
});
