import { describe, expect, test } from 'vitest';
import { type Normalization, normalizationOf, normalize, PROFILES } from '../../../src/credit/arithmetic/normalize.ts';
import { findRule } from '../../../src/credit/rules.ts';
import { expectCredit } from '../../creditExpectations.ts';
import { groupOf, outcomesOnly } from '../../groups.ts';
import { creditCases, expectClose, published, rulesWithCases } from '../../vectorFile.ts';

describe.each(rulesWithCases())('%s agrees with credit.json to 1e-9', (name) => {
  test.each(creditCases(name))('$group.id has the expected credit with parameters $parameters', (testCase) => {
    expectCredit(findRule(name).credit(testCase.group, testCase.parameters), testCase, 1e-9);
  });
});

interface Rewards {
  readonly rewards: readonly number[];
}

describe('normalization agrees with published numbers (published.json)', () => {
  const advantages = (x: readonly number[], how: Normalization) => [...normalize(x, how).advantage];

  test('group mean and standard deviation match volcengine/verl test_groupwise.py; a lone rollout has 0 and 1', () => {
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

  test('normalization with ddof 0 and epsilon 1e-8 matches huggingface/trl test_async_grpo_trainer.py', () => {
    const { inputs, expected, tolerance } = published<Rewards, number[]>('trl-async-adv');
    const how: Normalization = { ddof: 0, epsilon: 1e-8, scale: 'std', singleton: 'zero' };
    expectClose(advantages(inputs.rewards, how), expected, tolerance);
  });

  test('Dr. GRPO normalization without division matches NovaSky-AI/SkyRL test_ppo_utils.py', () => {
    const { inputs, expected, tolerance } = published<{ scores: number[]; group: number[] }, number[]>('skyrl-drgrpo');
    const both = [0, 1].flatMap((g) => {
      const scores = inputs.scores.filter((_, i) => inputs.group[i] === g);
      return advantages(scores, PROFILES['dr-grpo']);
    });
    expectClose(both, expected, tolerance);
  });

  test('the normalized reward of a lone rollout is 0, as in PrimeIntellect-ai/prime-rl test_advantage.py', () => {
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
  ] as const)('normalization of the group [1, 0, 0, 0] matches %s (derived from its code)', (library, how) => {
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
  ] as const)('the normalized reward 0.7 of a lone rollout matches %s (derived from its code)', (library, how) => {
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
   * Applies `value` to the outcomes of each group of a case. Returns the results in the order of the samples, NaN for
   * invalid samples.
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
    'leave-one-out baseline and standard deviation match NVIDIA-NeMo/RL test_utils.py: %s',
    (id) => {
      const { inputs, expected, tolerance } = published<Grouped, { baseline: number[]; std: number[] }>(id);
      const baseline = perSample(inputs, (R) => findRule('rloo').credit(outcomesOnly(R), {}).intermediate.baseline);
      const std = perSample(inputs, (R) => R.map((_, i) => normalize(R.filter((_, j) => j !== i)).std));
      // Invalid samples belong to no group here. NeMo returns numbers for them that have no meaning.
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
  ])('advantages match NovaSky-AI/SkyRL test_ppo_utils.py: %s', (id, rule) => {
    const { inputs, expected, tolerance } = published<Grouped, number[]>(id);
    expectClose(perSample(inputs, advantages(rule)), expected, tolerance);
  });

  test('a lone rollout has advantage 0 under dr-grpo, as in PrimeIntellect-ai/prime-rl test_advantage.py', () => {
    const { inputs, expected } = published<Rewards, number[]>('prime-grpo-singleton');
    expect([...advantages('dr-grpo')(inputs.rewards)]).toEqual(expected);
  });

  test.each([
    ['rloo', 'rloo'],
    ['prime', 'dr-grpo'],
  ])('advantages of [1, 0, 0, 0] match library %s under %s (derived from its code)', (library, rule) => {
    const { inputs, expected, tolerance } = published<Rewards, Record<string, number[]>>('derived-same-group-all-libs');
    expectClose(advantages(rule)(inputs.rewards), expected[library], tolerance);
  });

  test.each([
    ['verl_rloo_loop', 'rloo', { singleton: 'raw' }],
    ['verl_rloo_vectorised', 'rloo', {}],
    ['nemo', 'rloo', {}],
    ['prime', 'dr-grpo', {}],
  ])('a lone rollout with reward 0.7 has the advantage of library %s under %s', (library, rule, parameters) => {
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

  test('mt-grpo gives the first turn A^I + A^O and the last turn A^O, as in the official MT-GRPO trainer', () => {
    const { advantage } = findRule('mt-grpo').credit(group, { alpha: 1, profile: 'trl' });
    // The fourth rollout called no tool, so the trainer gives it the merged advantage. Turns have no such flag here.
    const reference = expected.per_token.slice(0, 3).flatMap((tokens) => [tokens[0], tokens[tokens.length - 1]]);
    expectClose(advantage.subarray(0, 6), reference, tolerance);
  });

  test('grpo-mr and grpo-or match merged and outcome advantages of the official MT-GRPO trainer', () => {
    const twice = (values: number[]) => values.flatMap((value) => [value, value]);
    const merged = findRule('grpo-mr').credit(group, { profile: 'trl' });
    expectClose(merged.advantage, twice(expected.combined), tolerance);
    const outcome = findRule('grpo-or').credit(group, { profile: 'trl' });
    expectClose(outcome.advantage, twice(expected.outcome), tolerance);
  });
});

test('a normalization profile is selected by its name', () => {
  const { inputs, expected, tolerance } = published<Rewards, Record<string, number[]>>('derived-same-group-all-libs');
  const group = outcomesOnly(inputs.rewards);
  for (const profile of ['trl', 'verl', 'rllm'] as const) {
    expect(normalizationOf({ profile })).toBe(PROFILES[profile]);
    expectClose(findRule('grpo-or').credit(group, { profile }).advantage, expected[profile], tolerance);
  }
});
