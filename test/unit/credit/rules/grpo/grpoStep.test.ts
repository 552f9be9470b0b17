import { describe, test } from 'vitest';
import { findRule } from '../../../../../src/credit/rules.ts';
import type { Turn } from '../../../../../src/rollouts/forest.ts';
import { walks } from '../../../../statefulGroups.ts';
import { expectClose, published } from '../../../../vectorFile.ts';

const grpoStep = findRule('grpo-step');

describe('grpo-step', () => {
  test('a grpo-step return is reward plus discounted next return, as in alibaba/ROLL agentic/utils.py', () => {
    type Inputs = { turn_rewards: number[]; gamma: number };
    const { inputs, expected, tolerance } = published<Inputs, number[]>('derived-roll-turn-return');
    const [first, second, last] = inputs.turn_rewards;
    const turns: Turn[] = [
      { parent: -1, reward: first },
      { parent: 0, reward: second },
      { parent: 1, reward: 0, outcome: last },
    ];
    const { intermediate } = grpoStep.credit({ id: 'roll', turns }, { gamma: inputs.gamma });
    expectClose(intermediate.return, expected, tolerance);
  });

  test('grpo-step with gamma 0.5 matches a calculation by hand', () => {
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

  test('grpo-step requires neither states nor outcomes', () => {
    const turns = [1, 2, 3].map((reward): Turn => ({ parent: -1, reward }));
    expectClose(grpoStep.credit({ id: 'g', turns }, {}).advantage, [-0.999999, 0, 0.999999], 1e-6);
  });
});
