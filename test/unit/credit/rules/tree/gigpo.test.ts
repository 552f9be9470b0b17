import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allEqual, normalize, PROFILES } from '../../../../../src/credit/arithmetic/normalize.ts';
import { MEETING } from '../../../../../src/credit/explanation/examples.ts';
import { findRule } from '../../../../../src/credit/rules.ts';
import type { Turn } from '../../../../../src/rollouts/forest.ts';
import { anyWalks, walks } from '../../../../statefulGroups.ts';
import { expectClose, published } from '../../../../vectorFile.ts';

const gigpo = findRule('gigpo');

describe('gigpo by hand', () => {
  test('gigpo gives its example the credit that is calculated by hand', () => {
    // R: 1, 1, 0, 0, mean 0.5. G: 0.95, 1 | 0.95, 1 | 0, 0 | 0. Before start: mean 1.9/4 = 0.475; seen: mean 2/3.
    const { advantage, intermediate } = gigpo.credit(MEETING, {});
    expectClose(intermediate.episodeReturn, [1, 1, 1, 1, 0, 0, 0], 1e-12);
    expectClose(intermediate.episodeAdvantage, [0.5, 0.5, 0.5, 0.5, -0.5, -0.5, -0.5], 1e-12);
    expectClose(intermediate.stepAdvantage, [0.475, 1 / 3, 0.475, 1 / 3, -0.475, -2 / 3, -0.475], 1e-12);
    expectClose(advantage, [0.975, 5 / 6, 0.975, 5 / 6, -0.975, -7 / 6, -0.975], 1e-12);
  });

  test('gigpo with mode=mean_std_norm divides both comparisons by their standard deviations', () => {
    // R: [1, 1, 0, 0]: std sqrt(4 * 0.25 / 3) = 0.57735. seen: G = [1, 1, 0], mean 2/3, std 0.57735.
    const { intermediate } = gigpo.credit(MEETING, { mode: 'mean_std_norm' });
    expectClose(intermediate.episodeAdvantage.subarray(0, 1), [0.866], 1e-3);
    expectClose(
      [1, 3, 5].map((turn) => intermediate.stepAdvantage[turn]),
      [0.57735, 0.57735, -1.1547],
      1e-5,
    );
  });

  test('gigpo returns include the reward of each turn, also of the last turn', () => {
    const steps = [
      { state: 's', action: 'a', reward: 0.5 },
      { state: 't', action: 'b', reward: 0.25 },
    ];
    const { intermediate } = gigpo.credit(walks([{ steps, outcome: 1 }]), { gamma: 0.5 });
    expectClose(intermediate.episodeReturn, [1.75, 1.75], 1e-12);
    expectClose(intermediate.return, [1.125, 1.25], 1e-12);
  });

  test('gigpo compares repeated visits of one rollout to a state with each other', () => {
    const steps = ['a', 'b'].map((action) => ({ state: 's', action, reward: 1 }));
    // gamma 0.5: G = 1.5, 1, mean 1.25
    const { advantage, intermediate } = gigpo.credit(walks([{ steps }]), { gamma: 0.5 });
    expectClose(intermediate.stepAdvantage, [0.25, -0.25], 1e-12);
    expectClose(advantage, [0.25, -0.25], 1e-12);
  });

  test('gigpo throws an error for a turn without a state', () => {
    const turns: Turn[] = [
      { parent: -1, reward: 0, state: 's' },
      { parent: -1, reward: 0 },
    ];
    expect(() => gigpo.credit({ id: 'g', turns }, {})).toThrow('group "g", turn 1, field "state": missing');
  });
});

describe('gigpo matches the trainer of its authors (published.json, derived from gigpo/core_gigpo.py)', () => {
  test('gigpo matches the trainer of its authors on two rollouts of two turns', () => {
    interface Inputs {
      readonly turn_rewards: number[][];
      readonly anchors: string[][];
      readonly gamma: number;
      readonly w: number;
      readonly mode: string;
    }
    interface Expected {
      readonly step_returns: number[][];
      readonly A_E: number[];
      readonly A_S_first: number[];
      readonly A_S_second: number[];
      readonly total: number[][];
    }
    const { inputs, expected, tolerance } = published<Inputs, Expected>('derived-gigpo');
    const { turn_rewards, anchors, gamma, w, mode } = inputs;
    const group = walks(
      turn_rewards.map((rewards, i) => ({
        steps: rewards.map((reward, k) => ({ state: anchors[i][k], action: `${i}${k}`, reward })),
      })),
    );
    const { advantage, intermediate } = gigpo.credit(group, { gamma, omega: w, mode });
    expectClose(intermediate.return, expected.step_returns.flat(), tolerance);
    expectClose(
      intermediate.episodeAdvantage,
      expected.A_E.flatMap((A) => [A, A]),
      tolerance,
    );
    const steps = expected.A_S_first.flatMap((first, i) => [first, expected.A_S_second[i]]);
    expectClose(intermediate.stepAdvantage, steps, tolerance);
    expectClose(advantage, expected.total.flat(), tolerance);
  });

  test('gigpo with profile verl gives a lone rollout its return, and a lone visit of a state 0', () => {
    type Expected = { readonly gigpo_episode_mean_norm: number; readonly gigpo_step: number; readonly verl: number };
    const { inputs, expected, tolerance } = published<{ rewards: number[] }, Expected>('derived-singleton');
    const group = walks([{ steps: [{ state: 's', action: 'a' }], outcome: inputs.rewards[0] }]);
    const { intermediate } = gigpo.credit(group, { profile: 'verl' });
    expectClose(intermediate.episodeAdvantage, [expected.gigpo_episode_mean_norm], tolerance);
    expectClose(intermediate.stepAdvantage, [expected.gigpo_step], tolerance);
    const byStd = gigpo.credit(group, { profile: 'verl', mode: 'mean_std_norm' }).intermediate;
    expectClose([byStd.episodeAdvantage[0], byStd.stepAdvantage[0]], [expected.verl, expected.gigpo_step], tolerance);
    expect([...gigpo.credit(group, {}).advantage]).toEqual([0]);
  });
});

describe('gigpo', () => {
  const modes = fc.constantFrom('mean_norm', 'mean_std_norm');

  test('gigpo with omega 0 equals its episode advantage', () => {
    fc.assert(
      fc.property(anyWalks, modes, (generated, mode) => {
        const { advantage, intermediate } = gigpo.credit(walks(generated), { omega: 0, mode });
        expect([...advantage]).toEqual([...intermediate.episodeAdvantage]);
      }),
    );
  });

  test('gigpo compares only whole rollouts, like GRPO, if no two turns share a state', () => {
    fc.assert(
      fc.property(anyWalks, modes, (generated, mode) => {
        let number = 0;
        const apart = generated.map((walk) => ({
          ...walk,
          steps: walk.steps.map((step) => ({ ...step, state: `s${number++}` })),
        }));
        const returns = generated.map(({ steps, outcome = 0 }) =>
          steps.reduceRight((sum, { reward = 0 }) => sum + reward, outcome),
        );
        const { advantage: A } = normalize(returns, mode === 'mean_norm' ? PROFILES['dr-grpo'] : PROFILES.turnwise);
        const expected = generated.flatMap(({ steps }, i) => steps.map(() => A[i]));
        // The tolerance covers returns that are equal on paper: their deviation is a rounding error divided by epsilon.
        expectClose(gigpo.credit(walks(apart), { mode, omega: 3 }).advantage, expected, 1e-8);
      }),
    );
  });

  test('gigpo does not compare equal states of different groups', () => {
    const step = (reward: number) => ({ steps: [{ state: 's', action: 'a', reward }] });
    const both = gigpo.credit(walks([step(0), step(1)]), {}).advantage;
    const single = gigpo.credit(walks([step(0)]), {}).advantage;
    expectClose(both, [-1, 1], 1e-12);
    expect([...single]).toEqual([0]);
  });

  test('a gigpo group with equal rollouts is not degenerate if a shared state has unequal returns', () => {
    const steps = (first: number) => [
      { state: 's', action: 'a', reward: first },
      { state: 't', action: 'b', reward: 1 - first },
    ];
    const group = walks([{ steps: steps(0) }, { steps: steps(1) }]);
    const varied = (omega: number) => gigpo.compared(group, { omega }).some((x) => !allEqual(x));
    expect([varied(0), varied(1)]).toEqual([false, true]);
  });
});
