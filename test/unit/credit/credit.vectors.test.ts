import { describe, expect, test } from 'vitest';
import { type Normalization, normalizationOf, normalize, PROFILES } from '../../../src/credit/arithmetic/normalize.ts';
import { findRule } from '../../../src/credit/rules.ts';
import { expectCredit } from '../../creditExpectations.ts';
import { groupOf, outcomesOnly } from '../../groups.ts';
import { creditCases, expectClose, published, rulesWithCases } from '../../vectorFile.ts';

describe.each(rulesWithCases())('%s agrees with credit.json to 1e-9', (name) => {
  test.each(creditCases(name))('$group.id $parameters', (testCase) => {
    expectCredit(findRule(name).credit(testCase.group, testCase.parameters), testCase, 1e-9);
  });
});

interface Rewards {
  readonly rewards: readonly number[];
}

describe('normalisation agrees with published numbers (published.json)', () => {
  const advantages = (x: readonly number[], how: Normalization) => [...normalize(x, how).advantage];

  test('volcengine/verl tests/utils/test_groupwise.py: mean and deviation, a lone rollout has 0 and 1', () => {
    const { inputs, expected, tolerance } = published<
      { scores: number[]; group: number[] },
      { mean: number[]; std: number[] }
    >('verl-group-mean-std');
    const groups = expected.mean.map((_, g) => inputs.scores.filter((_, i) => inputs.group[i] === g));
    const normalized = groups.map((scores) => normalize(scores, PROFILES.verl));
    // [1, 3]: mean 2, deviation sqrt(((1-2)^2 + (3-2)^2) / 1) = sqrt 2; [2] alone: 0 and 1
    const { mean, std } = expected;
    expectClose(
      normalized.map((result) => result.mean),
      mean,
      tolerance,
    );
    expectClose(
      normalized.map((result) => result.std),
      std,
      tolerance,
    );
  });

  test('huggingface/trl test_async_grpo_trainer.py: ddof 0, epsilon 1e-8', () => {
    const { inputs, expected, tolerance } = published<Rewards, number[]>('trl-async-adv');
    const how: Normalization = { ddof: 0, epsilon: 1e-8, scale: 'std', singleton: 'zero' };
    expectClose(advantages(inputs.rewards, how), expected, tolerance);
  });

  test('NovaSky-AI/SkyRL test_ppo_utils.py: Dr. GRPO divides by nothing', () => {
    const { inputs, expected, tolerance } = published<{ scores: number[]; group: number[] }, number[]>('skyrl-drgrpo');
    const both = [0, 1].flatMap((g) => {
      const scores = inputs.scores.filter((_, i) => inputs.group[i] === g);
      return advantages(scores, PROFILES['dr-grpo']);
    });
    expectClose(both, expected, tolerance);
  });

  test('PrimeIntellect-ai/prime-rl test_advantage.py: a lone rollout gets 0', () => {
    const { inputs, expected } = published<Rewards, number[]>('prime-grpo-singleton');
    expect(advantages(inputs.rewards, PROFILES['dr-grpo'])).toEqual(expected);
  });

  test.each([
    ['trl', PROFILES.trl],
    ['verl', PROFILES.verl],
    ['openrlhf', { ...PROFILES.turnwise, epsilon: 1e-9 }],
    ['rllm', PROFILES.rllm],
    ['trl_async', { ...PROFILES.rllm, epsilon: 1e-8 }],
    ['prime', PROFILES['dr-grpo']],
  ] as const)('the same group [1, 0, 0, 0] in %s (derived from its code)', (library, how) => {
    const { inputs, expected, tolerance } = published<Rewards, Record<string, number[]>>('derived-same-group-all-libs');
    expectClose(advantages(inputs.rewards, how), expected[library], tolerance);
  });

  test.each([
    ['verl', PROFILES.verl],
    ['search_r1', PROFILES.verl],
    ['rllm', PROFILES.rllm],
    ['gigpo_episode_mean_norm', { ...PROFILES['dr-grpo'], singleton: 'raw' }],
    ['prime', PROFILES['dr-grpo']],
    ['roll', PROFILES.turnwise],
  ] as const)('a lone rollout with reward 0.7 in %s (derived from its code)', (library, how) => {
    const { inputs, expected, tolerance } = published<Rewards, Record<string, number>>('derived-singleton');
    expectClose(advantages(inputs.rewards, how), [expected[library]], tolerance);
  });
});

describe('rloo and dr-grpo agree with published numbers (published.json)', () => {
  interface Grouped {
    readonly rewards?: readonly number[];
    readonly scores?: readonly number[];
    readonly group: readonly number[];
    readonly valid?: readonly number[];
  }
  /**
   * Returns the credit of each group of a case under a rule, in the order of the samples; NaN for samples that are left
   * out.
   */
  const perSample = (
    { rewards, scores, group, valid }: Grouped,
    value: (outcomes: readonly number[]) => ArrayLike<number>,
  ) => {
    const outcomes = rewards ?? scores ?? [];
    const all = new Float64Array(outcomes.length).fill(NaN);
    for (const g of new Set(group)) {
      const members = [...group.keys()].filter((i) => group[i] === g && valid?.[i] !== 0);
      const values = value(members.map((i) => outcomes[i]));
      members.forEach((i, index) => {
        all[i] = values[index];
      });
    }
    return all;
  };
  const advantages = (rule: string, parameters = {}) => {
    return (outcomes: readonly number[]) => findRule(rule).credit(outcomesOnly(outcomes), parameters).advantage;
  };

  test.each(['nemo-loo-basic', 'nemo-loo-singletons', 'nemo-loo-identical', 'nemo-loo-mixed', 'nemo-loo-invalid'])(
    'NVIDIA-NeMo/RL test_utils.py, baseline and deviation of the others: %s',
    (id) => {
      const { inputs, expected, tolerance } = published<Grouped, { baseline: number[]; std: number[] }>(id);
      const baseline = perSample(inputs, (R) => findRule('rloo').credit(outcomesOnly(R), {}).intermediate.baseline);
      const std = perSample(inputs, (R) => R.map((_, i) => normalize(R.filter((_, j) => j !== i)).std));
      // An invalid sample is no member of its group here; what NeMo writes in its place is a by-product.
      const counted = [...inputs.group.keys()].filter((i) => inputs.valid?.[i] !== 0);
      const pick = (values: ArrayLike<number>) => counted.map((i) => values[i]);
      expectClose(pick(baseline), pick(expected.baseline), tolerance);
      expectClose(pick(std), pick(expected.std), tolerance);
      // Reward = baseline + advantage.
      const A = perSample(inputs, advantages('rloo'));
      expectClose(pick(baseline.map((b, i) => b + A[i])), pick(inputs.rewards ?? []), 1e-12);
    },
  );

  test.each([
    ['skyrl-rloo', 'rloo'],
    ['skyrl-drgrpo', 'dr-grpo'],
  ])('NovaSky-AI/SkyRL test_ppo_utils.py: %s', (id, rule) => {
    const { inputs, expected, tolerance } = published<Grouped, number[]>(id);
    expectClose(perSample(inputs, advantages(rule)), expected, tolerance);
  });

  test('PrimeIntellect-ai/prime-rl test_advantage.py: a lone rollout gets 0 of dr-grpo', () => {
    const { inputs, expected } = published<Rewards, number[]>('prime-grpo-singleton');
    expect([...advantages('dr-grpo')(inputs.rewards)]).toEqual(expected);
  });

  test.each([
    ['rloo', 'rloo'],
    ['prime', 'dr-grpo'],
  ])('the same group [1, 0, 0, 0] in %s (derived from its code)', (library, rule) => {
    const { inputs, expected, tolerance } = published<Rewards, Record<string, number[]>>('derived-same-group-all-libs');
    expectClose(advantages(rule)(inputs.rewards), expected[library], tolerance);
  });

  test.each([
    ['verl_rloo_loop', 'rloo', { singleton: 'raw' }],
    ['verl_rloo_vectorised', 'rloo', {}],
    ['nemo', 'rloo', {}],
    ['prime', 'dr-grpo', {}],
  ])('a lone rollout with reward 0.7 in %s (derived from its code)', (library, rule, parameters) => {
    const { inputs, expected, tolerance } = published<Rewards, Record<string, number>>('derived-singleton');
    expectClose(advantages(rule, parameters)(inputs.rewards), [expected[library]], tolerance);
  });
});

describe('the official MT-GRPO trainer (SiliangZeng/Multi-Turn-RL-Agent mt_grpo_env_trainer.py), profile trl', () => {
  const { inputs, expected, tolerance } = published<
    { turn_rewards: number[]; outcome_rewards: number[] },
    { outcome: number[]; combined: number[]; per_token: number[][] }
  >('derived-mtgrpo-assign');
  const group = groupOf(
    inputs.turn_rewards.map((reward, i) => ({ turns: [reward], outcome: inputs.outcome_rewards[i] })),
  );

  test('rollouts that called the tool: first turn A^I + A^O, then A^O', () => {
    const { advantage } = findRule('mt-grpo').credit(group, { alpha: 1, profile: 'trl' });
    // The trainer gives its fourth rollout, which called no tool, the merged advantage; turns carry no such mark here.
    const reference = expected.per_token.slice(0, 3).flatMap((tokens) => [tokens[0], tokens[tokens.length - 1]]);
    expectClose(advantage.subarray(0, 6), reference, tolerance);
  });

  test('merged rewards are grpo-mr, outcomes alone grpo-or', () => {
    const twice = (values: number[]) => values.flatMap((value) => [value, value]);
    const merged = findRule('grpo-mr').credit(group, { profile: 'trl' });
    expectClose(merged.advantage, twice(expected.combined), tolerance);
    const outcome = findRule('grpo-or').credit(group, { profile: 'trl' });
    expectClose(outcome.advantage, twice(expected.outcome), tolerance);
  });
});

test('a profile reaches the rule by its name', () => {
  const { inputs, expected, tolerance } = published<Rewards, Record<string, number[]>>('derived-same-group-all-libs');
  const group = outcomesOnly(inputs.rewards);
  for (const profile of ['trl', 'verl', 'rllm'] as const) {
    expect(normalizationOf({ profile })).toBe(PROFILES[profile]);
    expectClose(findRule('grpo-or').credit(group, { profile }).advantage, expected[profile], tolerance);
  }
});
