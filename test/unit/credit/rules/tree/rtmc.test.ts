import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tieOf } from '../../../../../src/credit/arithmetic/degenerate.ts';
import { MEETING } from '../../../../../src/credit/explanation/examples.ts';
import { findRule } from '../../../../../src/credit/rules.ts';
import type { Turn } from '../../../../../src/rollouts/forest.ts';
import { anyWalks, type Step, type Walk, walks } from '../../../../statefulGroups.ts';
import { expectClose } from '../../../../vectorFile.ts';

const rtmc = findRule('rtmc');

describe('rtmc by hand', () => {
  test('rtmc gives its example the credit that is calculated by hand', () => {
    // G: 0.99 and 1 for rollouts that fix, 0 for other rollouts; p = 2/4.
    // Q(start, look) = 1.98/3 = 0.66, Q(start, guess) = 0, V(start) = (1.98 + 2 * 0.5) / (4 + 2) = 0.49667
    // Q(seen, fix) = 1, Q(seen, give up) = 0, V(seen) = (2 + 2 * 0.5) / (3 + 2) = 0.6
    const { advantage, intermediate } = rtmc.credit(MEETING, {});
    expectClose(intermediate.return, [0.99, 1, 0.99, 1, 0, 0, 0], 1e-12);
    expectClose(intermediate.q, [0.66, 1, 0.66, 1, 0.66, 0, 0], 1e-12);
    const [start, visited] = [2.98 / 6, 0.6];
    expectClose(intermediate.v, [start, visited, start, visited, start, visited, start], 1e-12);
    expect([...intermediate.visits]).toEqual([4, 3, 4, 3, 4, 3, 4]);
    const inspection = 0.66 - start;
    expectClose(advantage, [inspection, 0.4, inspection, 0.4, inspection, -0.6, -start], 1e-12);
  });

  test('rtmc counts only the first return of a state-action pair that a rollout repeats', () => {
    const loop = { state: 's', action: 'again', reward: 1 };
    const group = walks([{ steps: [loop, loop, { state: 's', action: 'stop' }] }]);
    // gamma 0.5: G = 1 + 0.5, 1, 0. Q(again) = 1.5 for both its turns; V = (1.5 + 0) / 2.
    const { advantage, intermediate } = rtmc.credit(group, { gamma: 0.5, kappa: 0 });
    expectClose(intermediate.return, [1.5, 1, 0], 1e-12);
    expectClose(intermediate.q, [1.5, 1.5, 0], 1e-12);
    expect([...intermediate.visits]).toEqual([2, 2, 2]);
    expectClose(advantage, [0.75, 0.75, -0.75], 1e-12);
  });

  test('rtmc adds the bonus to the rewards of turns that validate', () => {
    const steps: Step[] = [
      { state: 's', action: 'test', validates: true },
      { state: 't', action: 'finish', validates: false },
    ];
    const { intermediate } = rtmc.credit(walks([{ steps, outcome: 1 }]), { gamma: 1, bonus: 0.25 });
    expectClose(intermediate.return, [1.25, 1], 1e-12);
  });

  test('rtmc with scale=std divides by the population standard deviation without centering', () => {
    // One state, kappa 2, p 0: returns 2, 0; V = 2 / 4 = 0.5; A = 1.5, -0.5: mean 0.5, deviation 1
    const group = walks([
      { steps: [{ state: 's', action: 'a', reward: 2 }] },
      { steps: [{ state: 's', action: 'b' }] },
    ]);
    expectClose(rtmc.credit(group, {}).advantage, [1.5, -0.5], 1e-12);
    expectClose(rtmc.credit(group, { scale: 'std' }).advantage, [1.5 / 1.000001, -0.5 / 1.000001], 1e-12);
  });

  test('rtmc does not confuse the state-action pairs ("a", "bc") and ("ab", "c")', () => {
    const step = (state: string, action: string): Walk => ({ steps: [{ state, action, reward: 1 }] });
    const { intermediate } = rtmc.credit(walks([step('a', 'bc'), step('ab', 'c')]), {});
    expect([...intermediate.visits]).toEqual([1, 1]);
  });

  test('rtmc returns no advantages for a group without turns', () => {
    expect(rtmc.credit({ id: 'empty', turns: [] }, { scale: 'std' }).advantage).toHaveLength(0);
  });
});

describe('rtmc', () => {
  test('rtmc with kappa 0 returns centered returns if one state has each action once', () => {
    fc.assert(
      fc.property(anyWalks, (generated) => {
        const single = generated.map((walk, i) => ({
          ...walk,
          steps: [{ ...walk.steps[0], state: 's', action: `a${i}` }],
        }));
        const { advantage, intermediate } = rtmc.credit(walks(single), { kappa: 0 });
        const mean = intermediate.return.reduce((sum, G) => sum + G, 0) / single.length;
        const centred = intermediate.return.map((G) => G - mean);
        expectClose(advantage, centred, 1e-9);
      }),
    );
  });

  test('V of rtmc approaches the share of solved rollouts for a large kappa', () => {
    fc.assert(
      fc.property(anyWalks, (generated) => {
        const p = generated.filter(({ solved }) => solved).length / generated.length;
        const { v } = rtmc.credit(walks(generated), { kappa: 1e9 }).intermediate;
        expectClose(
          v,
          v.map(() => p),
          1e-6,
        );
      }),
    );
  });

  test('rtmc counts one visit per rollout to an initial state that no rollout revisits', () => {
    fc.assert(
      fc.property(anyWalks, (generated) => {
        const group = walks(
          generated.map(({ steps, ...walk }) => ({ ...walk, steps: [{ ...steps[0], state: 'start' }, ...steps] })),
        );
        const { visits } = rtmc.credit(group, {}).intermediate;
        const first = group.turns.findIndex(({ state }) => state === 'start');
        expect(visits[first]).toBe(generated.length);
      }),
    );
  });

  test('a group is degenerate under rtmc exactly if all its advantages are 0', () => {
    const range = { bestOutcome: 1, worstOutcome: 0 };
    fc.assert(
      fc.property(anyWalks, fc.constantFrom(0, 2), fc.boolean(), (generated, kappa, flat) => {
        const calm = { reward: 0, validates: false };
        const group = walks(
          flat
            ? generated.map(({ steps }) => ({ steps: steps.map((step) => ({ ...step, ...calm })), outcome: 0 }))
            : generated,
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
  ] as [Partial<Turn>, string][])('rtmc throws an error for a turn with %o', (wrong, message) => {
    const group = { id: 'g', turns: [single, { ...single, ...wrong }] };
    expect(() => rtmc.credit(group, {})).toThrow(`group "g", turn 1, ${message}`);
  });
});
