import { describe, expect, test } from 'vitest';
import { MEETING } from '../../../../../src/credit/explanation/examples.ts';
import { findRule } from '../../../../../src/credit/rules.ts';
import { walks } from '../../../../statefulGroups.ts';
import { expectClose } from '../../../../vectorFile.ts';

const tempo = findRule('tempo');
const EXACT = { epsilon: 0 };

/** Creates a rollout with these actions. Its states are step indices. */
const walk = (actions: string, outcome: number) => ({
  steps: [...actions].map((action, index) => ({ state: String(index), action })),
  outcome,
});

describe('tempo by hand', () => {
  test('tempo gives its example the credit that is calculated by hand', () => {
    // R^O: 1, 1, 0, 0, mean 0.5, std sqrt(4 * 0.25 / 3) = 1 / sqrt(4 / 3): r is s, s, -s, -s with s = sqrt(3) / 2.
    // V(start) = 0, V(start look, seen) = (s + s - s) / 3 = s / 3, after the last turns r.
    const s = Math.sqrt(3) / 2;
    const { advantage, intermediate } = tempo.credit(MEETING, EXACT);
    expectClose(intermediate.outcomeAdvantage, [s, s, s, s, -s, -s, -s], 1e-12);
    expectClose(intermediate.prefixValue, [0, s / 3, 0, s / 3, 0, s / 3, 0], 1e-12);
    const fixed = [s + s / 3, s + (s - s / 3)];
    expectClose(advantage, [...fixed, ...fixed, -s + s / 3, -s + (-s - s / 3), -s - s], 1e-12);
  });

  test('tempo equals grpo-or on a shared first turn, and doubles it on a turn where rollouts diverge', () => {
    // Both rollouts take `a` first, so the first turn does not change V. They diverge at the second turn.
    const group = walks([walk('ab', 1), walk('ac', 0)]);
    const { advantage } = tempo.credit(group, EXACT);
    const grpo = findRule('grpo-or').credit(group, EXACT).advantage;
    expectClose([advantage[0], advantage[2]], [grpo[0], grpo[2]], 1e-12);
    // r is s and -s, s = 1 / sqrt(2). V before the second turn is 0, so the second turn counts twice.
    expectClose([advantage[1], advantage[3]], [2 * grpo[1], 2 * grpo[3]], 1e-12);
  });

  test('a state that is reached by two paths has two prefix values under tempo', () => {
    // The states are as in MEETING, but V depends on the whole prefix.
    const steps = (first: string) => [
      { state: 'start', action: first },
      { state: 'seen', action: 'fix' },
    ];
    const { intermediate } = tempo.credit(
      walks([
        { steps: steps('left'), outcome: 1 },
        { steps: steps('right'), outcome: 0 },
      ]),
      EXACT,
    );
    expectClose(intermediate.prefixValue, [0, Math.SQRT1_2, 0, -Math.SQRT1_2], 1e-12);
  });

  test('equal actions that lead to different states have different prefix values under tempo', () => {
    const group = walks([
      {
        steps: [
          { state: 's', action: 'look' },
          { state: 'found', action: 'end' },
        ],
        outcome: 1,
      },
      {
        steps: [
          { state: 's', action: 'look' },
          { state: 'nothing', action: 'end' },
        ],
        outcome: 0,
      },
    ]);
    const { intermediate } = tempo.credit(group, EXACT);
    expectClose(intermediate.prefixValue, [0, Math.SQRT1_2, 0, -Math.SQRT1_2], 1e-12);
  });

  test('tempo throws an error for a turn without an action', () => {
    const group = { id: 'g', turns: [{ parent: -1, reward: 0, outcome: 1, state: 's' }] };
    expect(() => tempo.credit(group, {})).toThrow('group "g", turn 0, field "action": missing');
  });
});
