import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tieOf } from '../../../../../src/credit/arithmetic/degenerate.ts';
import { gae } from '../../../../../src/credit/arithmetic/returns.ts';
import { CreditError } from '../../../../../src/credit/creditError.ts';
import { TWO_TURNS_WITH_VALUES } from '../../../../../src/credit/explanation/examples.ts';
import { findRule } from '../../../../../src/credit/rules.ts';
import type { Group, Turn } from '../../../../../src/rollouts/forest.ts';
import { expectClose, published } from '../../../../vectorFile.ts';

const mtPpo = findRule('mt-ppo');
const tokensOf = (name: string, group: Group, parameters = {}) => {
  const { tokens } = findRule(name).credit(group, parameters);
  if (!tokens) throw new Error(`${name} gives no tokens`);
  return { advantages: [...tokens.advantages], returns: [...tokens.returns] };
};

/** Creates a group of one rollout with one turn from critic values [tokens] and an outcome. */
const createGroup = (values: readonly number[], outcome: number): Group => ({
  id: 'one turn',
  turns: [{ parent: -1, reward: 0, outcome, tokens: values.length, values }],
});

describe('PPO rules by hand, on the example of the rule files', () => {
  // Rollout 1: V = .5 1 | .5 .5, R^I = .5, R^O = 1. Rollout 2: V = .5 0 | .5 0, R^I = -.5, R^O = 0.
  test('with gamma 1 and lambda 1, an MT-PPO advantage is the sum of later rewards minus V_t', () => {
    const { advantages, returns } = tokensOf('mt-ppo', TWO_TURNS_WITH_VALUES);
    expect(returns).toEqual([1.5, 1.5, 1, 1, -0.5, -0.5, 0, 0]);
    expect(advantages).toEqual([1, 0.5, 0.5, 0.5, -1, -0.5, -0.5, 0]);
    // Mean over the tokens of each turn.
    const { advantage } = mtPpo.credit(TWO_TURNS_WITH_VALUES, {});
    expect([...advantage]).toEqual([0.75, 0.5, -0.75, -0.25]);
  });

  test('PPO-OR omits turn rewards, and PPO-MR adds them to the outcome', () => {
    expect(tokensOf('ppo-or', TWO_TURNS_WITH_VALUES).returns).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
    expect(tokensOf('ppo-mr', TWO_TURNS_WITH_VALUES).returns).toEqual([1.5, 1.5, 1.5, 1.5, -0.5, -0.5, -0.5, -0.5]);
  });

  test('with lambda 0, an MT-PPO advantage is the temporal difference of its token', () => {
    // deltas of rollout 1: 0 + 1 - .5, .5 + .5 - 1, 0 + .5 - .5, 1 - .5
    const { advantages } = tokensOf('mt-ppo', TWO_TURNS_WITH_VALUES, { gamma: 1, lambda: 0 });
    expect(advantages.slice(0, 4)).toEqual([0.5, 0, 0, 0.5]);
  });

  test('with gamma 0.5, the MT-PPO return halves a reward for each token before it', () => {
    // Returns of rollout 1 from last to first: 1, .5, .5 + .25, .375
    const { returns } = tokensOf('mt-ppo', TWO_TURNS_WITH_VALUES, { gamma: 0.5, lambda: 1 });
    expect(returns.slice(0, 4)).toEqual([0.375, 0.75, 0.5, 1]);
  });
});

describe('Turn-PPO by hand: V is .5 before each turn of both rollouts, and values at later tokens are not read', () => {
  test('with gamma 1 and lambda 1, a Turn-PPO advantage is the sum of later rewards minus V', () => {
    const { advantages, returns } = tokensOf('turn-ppo', TWO_TURNS_WITH_VALUES, { gamma: 1, lambda: 1 });
    expect(returns).toEqual([1.5, 1.5, 1, 1, -0.5, -0.5, 0, 0]);
    expect(advantages).toEqual([1, 1, 0.5, 0.5, -1, -1, -0.5, -0.5]);
  });

  test('with lambda 0, a Turn-PPO advantage is the temporal difference of its turn', () => {
    // Rollout 1: .5 + .5 - .5 and 1 - .5. Rollout 2: -.5 + .5 - .5 and 0 - .5.
    const { advantages } = tokensOf('turn-ppo', TWO_TURNS_WITH_VALUES, { gamma: 1, lambda: 0 });
    expect(advantages).toEqual([0.5, 0.5, 0.5, 0.5, -0.5, -0.5, -0.5, -0.5]);
  });

  test('with gamma 0.5, the Turn-PPO return halves a reward for each turn before it, not for each token', () => {
    // Rollout 1: δ = .5 + .25 - .5 = .25 and .5, A = .25 + .5 * .5 = .5 and .5, returns 1 and 1.
    const { advantages, returns } = tokensOf('turn-ppo', TWO_TURNS_WITH_VALUES, { gamma: 0.5, lambda: 1 });
    expect(advantages.slice(0, 4)).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect(returns.slice(0, 4)).toEqual([1, 1, 1, 1]);
  });

  test('Turn-PPO equals MT-PPO if each turn has one token', () => {
    const values = fc.double({ min: -2, max: 2, noNaN: true });
    const turns = fc.array(fc.record({ reward: values, value: values }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(turns, fc.double({ min: 0, max: 1, noNaN: true }), (all, lambda) => {
        const group: Group = {
          id: 'single tokens',
          turns: all.map(({ reward, value }, at) => ({
            ...{ parent: at - 1, reward, tokens: 1, values: [value] },
            ...(at === all.length - 1 ? { outcome: 1 } : {}),
          })),
        };
        const parameters = { gamma: 0.9, lambda };
        expect(tokensOf('turn-ppo', group, parameters)).toEqual(tokensOf('mt-ppo', group, parameters));
      }),
    );
  });
});

describe('GAE and published numbers (published.json)', () => {
  test('GAE returns match NovaSky-AI/SkyRL test_ppo_utils.py', () => {
    type Inputs = { rewards: number[]; values: number[]; cases: { gamma: number; lam: number }[] };
    const { inputs, expected, tolerance } = published<Inputs, Record<string, number[]>>('skyrl-gae');
    inputs.cases.forEach(({ gamma, lam }, index) => {
      const { returns } = gae(inputs.rewards, inputs.values, gamma, lam);
      expectClose(returns, expected[`c${index}`], tolerance);
    });
  });

  test('GAE with lambda 0 and a reward on the last token matches NVIDIA-NeMo/RL test_ppo.py', () => {
    type Inputs = { rewards: number[]; values: number[]; gamma: number; lam: number };
    const { inputs, expected, tolerance } = published<Inputs, number[]>('nemo-gae-td0');
    const { rewards, values, gamma, lam: lambda } = inputs;
    expectClose(gae(rewards, values, gamma, lambda).advantages, expected, tolerance);
    expectClose(tokensOf('ppo-or', createGroup(values, rewards[2]), { gamma, lambda }).advantages, expected, tolerance);
  });

  test('GAE skips environment tokens between turns, as in NVIDIA-NeMo/RL test_ppo.py', () => {
    type Row = { rewards: number[]; values: number[]; mask?: number[] };
    type Inputs = { with_gap: Row; no_gap: Row; gamma: number; lam: number };
    const { inputs, expected, tolerance } = published<Inputs, number[]>('nemo-gae-gap');
    const { with_gap, no_gap, gamma, lam: lambda } = inputs;
    expectClose(gae(no_gap.rewards, no_gap.values, gamma, lambda).advantages, expected, tolerance);
    // Two turns around the gap: a group contains only policy tokens.
    const valid = with_gap.values.filter((_, t) => with_gap.mask?.[t] === 1);
    const turns: Turn[] = [
      { parent: -1, reward: 0, tokens: 2, values: valid.slice(0, 2) },
      { parent: 0, reward: 0, outcome: 1, tokens: 2, values: valid.slice(2) },
    ];
    const { advantages } = tokensOf('mt-ppo', { id: 'gap', turns }, { gamma, lambda });
    expectClose(advantages, expected, tolerance);
  });

  test('an observation does not reset the return (verl-project/verl issue #6376)', () => {
    type Inputs = { rewards: number[]; mask: number[]; gamma: number };
    const { inputs, expected, tolerance } = published<Inputs, Record<string, number[]>>('verl-rfpp-obs');
    // Without a critic and with lambda 1 the returns are discounted sums over the policy's tokens.
    const valid = inputs.rewards.filter((_, t) => inputs.mask[t] === 1);
    const { returns } = gae(valid, new Array(valid.length).fill(0), inputs.gamma, 1);
    const right = expected.right.filter((_, t) => inputs.mask[t] === 1);
    expectClose(returns, right, tolerance);
  });

  test('the return of the first turn includes the last reward (verl-project/verl issue #7278)', () => {
    type Inputs = { rewards: number[]; mask: number[]; gamma: number };
    const { inputs, expected, tolerance } = published<Inputs, Record<string, number[]>>('verl-rfpp-obs2');
    const zeros = (tokens: number) => new Array(tokens).fill(0);
    const turns: Turn[] = [
      { parent: -1, reward: 0, tokens: 2, values: zeros(2) },
      { parent: 0, reward: 0, outcome: inputs.rewards[5], tokens: 2, values: zeros(2) },
    ];
    const { returns } = tokensOf('mt-ppo', { id: 'issue', turns }, { gamma: inputs.gamma, lambda: 1 });
    expectClose(returns, expected.right_at_actions, tolerance);
  });

  test('GAE ignores values at environment tokens, as in volcengine/verl test_core_algos_on_cpu.py', () => {
    type Inputs = { rewards: number[]; mask: number[]; values: (number | null)[] };
    const { inputs } = published<Inputs, string>('verl-gae-multiturn');
    const at = inputs.mask.flatMap((mask, t) => (mask === 1 ? [t] : []));
    const picked = (values: readonly (number | null)[]) => at.map((t) => Number(values[t]));
    // The source asserts only that values at environment tokens have no effect, which follows from the layout here.
    // The expected numbers follow from lambda 1 and gamma 1: A_t is the sum of rewards from t on minus V_t.
    const rewards = picked(inputs.rewards);
    const { advantages } = gae(rewards, picked(inputs.values), 1, 1);
    const rewardsToGo = rewards.map((_, t) => rewards.slice(t).reduce((sum, r) => sum + r, 0));
    expectClose(
      advantages,
      rewardsToGo.map((sum, t) => sum - picked(inputs.values)[t]),
      1e-12,
    );
  });

  test('GAE returns of three terminated episodes match thu-ml/tianshou test_returns.py', () => {
    type Inputs = { rew: number[]; v_next: number[]; terminated: number[]; gamma: number; lam: number };
    const { inputs, expected, tolerance } = published<Inputs, number[]>('tianshou-gae-terminated');
    const { rew, v_next, gamma, lam } = inputs;
    const values = [v_next.at(-1) as number, ...v_next.slice(0, -1)];
    const returns = [0, 4, 8].flatMap((first) => {
      return [...gae(rew.slice(first, first + 4), values.slice(first, first + 4), gamma, lam).returns];
    });
    expectClose(returns, expected, tolerance);
  });

  test('GAE of an episode that ends by discount 0 matches google-deepmind/rlax multistep_test.py', () => {
    type Inputs = { r_t: number[][]; v: number[][]; discount_t: number[][]; lambdas: number[] };
    const { inputs, expected, tolerance } = published<Inputs, Record<string, number[][]>>('rlax-truncated-gae');
    // The second row: the fourth step ends an episode, and the fifth continues into a last value of -1.
    for (const lambda of inputs.lambdas) {
      const name = lambda.toFixed(1);
      const values = inputs.v[1].slice(0, 4);
      const { advantages } = gae(inputs.r_t[1].slice(0, 4), values, 0.9, lambda);
      expectClose(advantages, expected[name][1].slice(0, 4), tolerance);
    }
  });
});

describe('properties of GAE', () => {
  const number = fc.integer({ min: -20, max: 20 }).map((x) => x / 10);
  const tokens = fc.array(fc.tuple(number, number), { minLength: 1, maxLength: 12 });

  test('a GAE advantage A_t is the sum of (gamma lambda)^n delta_{t+n}', () => {
    fc.assert(
      fc.property(tokens, fc.double({ min: 0, max: 1, noNaN: true }), (all, lambda) => {
        const [rewards, values] = [all.map(([reward]) => reward), all.map(([, value]) => value)];
        const delta = rewards.map((r, t) => r + 0.9 * (values[t + 1] ?? 0) - values[t]);
        const sums = delta.map((_, t) => delta.slice(t).reduce((sum, d, n) => sum + (0.9 * lambda) ** n * d, 0));
        expectClose(gae(rewards, values, 0.9, lambda).advantages, sums, 1e-9);
      }),
    );
  });

  test('PPO-OR, PPO-MR and MT-PPO agree on a rollout of one turn', () => {
    fc.assert(
      fc.property(fc.array(number, { minLength: 1, maxLength: 6 }), number, (values, outcome) => {
        const [or, mr, mt] = ['ppo-or', 'ppo-mr', 'mt-ppo'].map((name) => tokensOf(name, createGroup(values, outcome)));
        expect(mr).toEqual(or);
        expect(mt).toEqual(or);
      }),
    );
  });
});

describe('errors of MT-PPO', () => {
  const turn = { parent: -1, reward: 0, outcome: 1 };
  test.each([
    ['tokens', {}, 'missing'],
    ['tokens', { tokens: 0, values: [] }, '0: this rule needs a whole number above 0'],
    ['values', { tokens: 2 }, 'missing'],
    ['values', { tokens: 2, values: [1] }, "1 numbers; each of the turn's 2 tokens needs one"],
    ['values', { tokens: 2, values: [1, Number.NaN] }, '[1] is NaN'],
  ])('MT-PPO throws an error for field %s of %o', (field, fields, problem) => {
    const credit = () => mtPpo.credit({ id: 'g', turns: [{ ...turn, ...fields }] }, {});
    expect(credit).toThrow(CreditError);
    expect(credit).toThrow(`group "g", turn 0, field "${field}"`);
    expect(credit).toThrow(problem);
  });
});

test('no group is degenerate under MT-PPO, because its baseline is the critic', () => {
  const range = { bestOutcome: 1, worstOutcome: -1 };
  expect(tieOf(TWO_TURNS_WITH_VALUES, mtPpo, {}, range)).toBeUndefined();
  expect(tieOf(createGroup([0], 1), mtPpo, {}, range)).toBeUndefined();
});
