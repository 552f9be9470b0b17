import { describe, expect, test } from 'vitest';
import { nodeShaderLibrary } from '../../../src/cli/framework/node.ts';
import { PROFILES } from '../../../src/credit/arithmetic/normalize.ts';
import { CreditError } from '../../../src/credit/creditError.ts';
import { ForestView } from '../../../src/credit/gpu/forestView.ts';
import { GpuCredit } from '../../../src/credit/gpu/gpuCredit.ts';
import type { CreditRule } from '../../../src/credit/rule.ts';
import { findRule, RULES } from '../../../src/credit/rules.ts';
import { BufferSet, readBuffer } from '../../../src/gpu/buffers.ts';
import { KernelCache } from '../../../src/gpu/kernel.ts';
import { Recorder } from '../../../src/gpu/recorder.ts';
import { buildForest, type Group } from '../../../src/rollouts/forest.ts';
import { expectSameCredit } from '../../creditExpectations.ts';
import { groupOf, outcomesOnly } from '../../groups.ts';
import { randomGroups } from '../../randomForests.ts';
import { expectClose } from '../../vectorFile.ts';
import { testDevice } from '../device.ts';
import { useCreditHarness } from './creditHarness.ts';

const harness = useCreditHarness();

const normalising = RULES.filter(({ parameters }) => parameters.some(({ name }) => name === 'profile'));

describe.each(RULES.map((rule) => [rule.name, rule] as const))('%s on the GPU', (_, rule) => {
  test.each([1, 2, 3])('the GPU credit agrees with float64 on random forests of seed %i', async (seed) => {
    await harness.expectAgreement(randomGroups(rule, seed), rule, {});
  });

  test('the GPU accepts a batch without groups and groups without turns', async () => {
    expect(await harness.run([], rule, {})).toHaveLength(0);
    const [group] = randomGroups(rule, 4, [8]);
    const empty: Group = { id: 'empty', turns: [] };
    const credits = await harness.run([empty, group, empty], rule, {});
    expect(credits.map(({ advantage }) => advantage.length)).toEqual([0, group.turns.length, 0]);
    expectSameCredit(rule, credits[1], rule.credit(group, {}), 1e-4);
  });

  test('a batch has the same credit bits after a larger batch as alone', async () => {
    const [group] = randomGroups(rule, 5, [8]);
    const [isolated] = await harness.run([group], rule, {});
    await harness.run(randomGroups(rule, 6), rule, {});
    const [again] = await harness.run([group], rule, {});
    expect(again).toEqual(isolated);
  });
});

describe.each(normalising.map((rule) => [rule.name, rule] as const))('normalisation of %s', (_, rule) => {
  test.each(Object.keys(PROFILES))('the GPU normalises by the profile %s as in float64', async (profile) => {
    await harness.expectAgreement(randomGroups(rule, 7), rule, { profile });
  });
});

describe.each(['grpo-or', 'grpo-mr', 'mt-grpo'])('%s', (name) => {
  const rule = findRule(name);

  test('equal rewards have advantages of exactly 0 on the GPU', async () => {
    const groups = [2, 3, 7, 64, 200].map((size) => {
      return groupOf(Array.from({ length: size }, () => ({ turns: [0.1, 1 / 3], outcome: 0.7 })));
    });
    const advantages = await harness.advantages(groups, rule, {});
    expect(advantages.every((advantage) => advantage === 0)).toBe(true);
  });

  test('a group with a single rollout has advantage 0 next to other groups', async () => {
    const groups = [outcomesOnly([]), outcomesOnly([0.7]), outcomesOnly([]), outcomesOnly([1, 0])];
    const [single, good, bad] = await harness.advantages(groups, rule, {});
    // [1, 0]: mean 1/2, std sqrt(1/2); 0.5 / 0.70711 = 0.70711
    expectClose([single, good, bad], [0, Math.SQRT1_2, -Math.SQRT1_2], 1e-5);
  });

  test('the advantages of rewards far from 0 are exact to 1e-4', async () => {
    const group = outcomesOnly([1000, 1001, 1003, 1000.5]);
    expectClose(await harness.advantages([group], rule, {}), rule.credit(group, {}).advantage, 1e-4);
  });

  test('the GPU accepts the turns of a group in any order', async () => {
    const turns = [
      { parent: -1, reward: 0.3 },
      { parent: -1, reward: 0.1 },
      { parent: 1, reward: 0, outcome: 1 },
      { parent: 0, reward: 0, outcome: 0 },
    ];
    const group = { id: 'interleaved', turns };
    expectClose(await harness.advantages([group], rule, {}), rule.credit(group, {}).advantage, 1e-4);
  });
});

test.each(RULES.filter(({ input }) => input === 'trajectories').map((rule) => [rule.name, rule] as const))(
  '%s rejects branches with an error that names group, turn and field',
  async (_, rule) => {
    const [chain] = randomGroups(rule, 8, [1]);
    const turn = chain.turns[0];
    const tree = {
      id: 'tree',
      turns: [
        { ...turn, parent: -1 },
        { ...turn, parent: 0 },
        { ...turn, parent: 0 },
      ],
    };
    const run = harness.run([chain, tree], rule, {});
    await expect(run).rejects.toThrow(CreditError);
    await expect(run).rejects.toThrow('group "tree", turn 0, field "parent"');
  },
);

test('GRPO-MR treats mathematically equal rewards as equal although their float32 sums differ', async () => {
  const groups = [
    groupOf([
      { turns: [0.1, 0.2], outcome: 0.4 },
      { turns: [0.3], outcome: 0.4 },
      { turns: [0.7], outcome: 0 },
    ]),
  ];
  expect((await harness.advantages(groups, findRule('grpo-mr'), {})).every((a) => a === 0)).toBe(true);
});

test('GRPO-OR accepts more groups than a dispatch has workgroups per dimension', async () => {
  const groups = Array.from({ length: 66_000 }, (_, index) => outcomesOnly([index % 3, 1]));
  const rule = findRule('grpo-or');
  const credits = await harness.run(groups, rule, {});
  for (const index of [0, 65_534, 65_535, 65_536, 65_999]) {
    expectSameCredit(rule, credits[index], rule.credit(groups[index], {}), 1e-4);
  }
});

test('a batch beyond the capacity is rejected', async () => {
  const device = await testDevice();
  const buffers = new BufferSet(device);
  const capacity = { turns: 128, trajectories: 128, groups: 64, tokens: 0, tests: 0, results: 0 };
  const credit = await GpuCredit.create(
    { device, kernels: new KernelCache(device, nodeShaderLibrary()) },
    buffers,
    capacity,
    RULES,
  );
  const forest = buildForest(Array.from({ length: 65 }, () => outcomesOnly([1])));
  expect(() => credit.upload(forest)).toThrow('credit: the batch has 65 groups, there is room for 64');
  buffers.destroy();
});

test('each kernel of a rule is compiled once, on demand, and the credit has the same bits', async () => {
  const device = await testDevice();
  const buffers = new BufferSet(device);
  const recorder = new Recorder(device, 64);
  const [first, second] = [findRule('grpo-or'), findRule('mt-grpo')];
  const groups = randomGroups(second, 8);
  const forest = buildForest(groups);
  const cache = new KernelCache(device, nodeShaderLibrary());
  const requested: string[] = [];
  const kernels = {
    get: (...args: Parameters<KernelCache['get']>) => {
      requested.push(args[0]);
      return cache.get(...args);
    },
  } as KernelCache;
  const { capacity } = new ForestView(forest);
  const credit = await GpuCredit.create({ device, kernels }, buffers, capacity, [first, second], [first]);
  const advantages = async (rule: CreditRule) => {
    credit.upload(forest);
    credit.record(recorder, rule, {});
    recorder.submit();
    return [...new Float32Array(await readBuffer(device, credit.advantage, forest.parent.length))];
  };
  expect(await advantages(first)).toEqual(await harness.advantages(groups, first, {}));
  const kernelsOf = (...rules: CreditRule[]) =>
    new Set(rules.flatMap(({ stages }) => stages.map(({ kernel }) => kernel)));
  expect(new Set(requested)).toEqual(kernelsOf(first));
  await expect(advantages(second)).rejects.toThrow('belongs to no rule that was compiled');
  await Promise.all([credit.compile(second), credit.compile(second)]);
  expect(new Set(requested)).toEqual(kernelsOf(first, second));
  const count = requested.length;
  expect(await advantages(second)).toEqual(await harness.advantages(groups, second, {}));
  await Promise.all([credit.compile(first), credit.compile(second)]);
  expect(await advantages(first)).toEqual(await harness.advantages(groups, first, {}));
  expect(requested).toHaveLength(count);
  recorder.destroy();
  buffers.destroy();
});
