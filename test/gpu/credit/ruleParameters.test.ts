import { expect, test } from 'vitest';
import { nodeShaderLibrary } from '../../../src/cli/framework/node.ts';
import { memberCounts, normalizeBatch } from '../../../src/credit/arithmetic/normalize.ts';
import { ForestView } from '../../../src/credit/gpu/forestView.ts';
import { GpuCredit } from '../../../src/credit/gpu/gpuCredit.ts';
import { findRule } from '../../../src/credit/rules.ts';
import { BufferSet, readBuffer } from '../../../src/gpu/buffers.ts';
import { KernelCache } from '../../../src/gpu/kernel.ts';
import { Recorder } from '../../../src/gpu/recorder.ts';
import type { ParameterValues } from '../../../src/parameters/parameters.ts';
import { buildForest, type Group, type Turn } from '../../../src/rollouts/forest.ts';
import { expectSameCredit } from '../../creditExpectations.ts';
import { groupOf, outcomesOnly } from '../../groups.ts';
import { randomGroups } from '../../randomForests.ts';
import { expectClose } from '../../vectorFile.ts';
import { testDevice } from '../device.ts';
import { useCreditHarness } from './creditHarness.ts';

const harness = useCreditHarness();

/** Rule, its parameters, and numbers of rollouts of the groups; those of `randomGroups` if absent. */
type Case = readonly [rule: string, parameters: ParameterValues, sizes: number[] | undefined];

const ABSENT: readonly ParameterValues[] = [
  {},
  { alpha: 0.5 },
  { profile: 'dr-grpo' },
  { alpha: 0.3, profile: 'verl' },
];
const BASELINE = [1, 2, 3, 8, 33, 200];
const SMALL = [1, 2, 3, 8, 33];

const CASES: readonly Case[] = [
  ...['mt-grpo', 'mt-grpo-exact'].flatMap((rule) =>
    ABSENT.map((parameters): Case => [rule, { ...parameters, absent: 'leave-one-out' }, undefined]),
  ),
  ['mt-grpo-exact', { absent: 'zero' }, undefined],
  ['mt-grpo-exact', { alpha: 0 }, undefined],
  ['mt-grpo-exact', { alpha: 0.5 }, undefined],
  ['mt-grpo-exact', { alpha: 0.5, absent: 'zero', profile: 'verl' }, undefined],
  ['mt-grpo-exact', { absent: 'zero', profile: 'dr-grpo' }, undefined],
  ['igpo', { pool: 'separate', profile: 'verl' }, undefined],
  ['rloo', { scale: 'std' }, BASELINE],
  ['rloo', { scale: 'std', ddof: '0', epsilon: 1e-4 }, BASELINE],
  ['rloo', { scale: 'std', singleton: 'raw' }, BASELINE],
  ['rloo', { singleton: 'raw' }, BASELINE],
  ['turn-credit', { scores: 'reward' }, SMALL],
  ['turn-credit', { start: 'unscored' }, SMALL],
  ['turn-credit', { scores: 'reward', start: 'unscored', gamma: 0.5, beta: 2 }, SMALL],
  ['turn-credit', { gamma: 0 }, SMALL],
  ['turn-credit', { gamma: 1 }, SMALL],
  ['turn-credit', { beta: 0 }, SMALL],
];

test.each(CASES)('%s agrees with float64 on random groups, %j', async (...[name, parameters, sizes]: Case) => {
  const rule = findRule(name);
  const groups = [...randomGroups(rule, 51, sizes), ...randomGroups(rule, 52, sizes ?? [1, 2, 5, 200])];
  await harness.expectAgreement(groups, rule, parameters);
});

const EQUAL: readonly Case[] = [
  ['mt-grpo', { absent: 'leave-one-out' }, [2, 7, 100]],
  ['rloo', {}, [1, 2, 3, 7, 64, 200]],
  ['dr-grpo', {}, [1, 2, 3, 7, 64, 200]],
  ['turn-credit', { gamma: 0, beta: 0 }, [1, 3, 7, 64]],
];

test.each(EQUAL)(
  'equal rollouts have advantages of exactly 0 under %s, %j',
  async (...[name, parameters, sizes = []]: Case) => {
    const turns = name === 'mt-grpo' ? [0.1, 0.3] : [0.1, 0.1, 0.1];
    const groups = sizes.map((size) => groupOf(Array.from({ length: size }, () => ({ turns, outcome: 0.7 }))));
    const advantages = await harness.advantages(groups, findRule(name), parameters);
    expect(advantages.every((advantage) => advantage === 0)).toBe(true);
  },
);

test('equal rewards in a tree have advantages of exactly 0 under MT-GRPO-exact', async () => {
  const turns = [{ parent: -1, reward: 1 / 3 }];
  for (let turn = 1; turn < 40; turn++) turns.push({ parent: Math.floor((turn - 1) / 3), reward: 1 / 3 });
  const group = {
    id: 'tree',
    turns: turns.map((turn, index) => (3 * index + 1 < 40 ? turn : { ...turn, outcome: 0.7 })),
  };
  const advantages = await harness.advantages([group], findRule('mt-grpo-exact'), {});
  expect(advantages.every((advantage) => advantage === 0)).toBe(true);
});

test('advantages of outcomes far from 0 are exact to 1e-5 under RLOO and Dr. GRPO', async () => {
  const group = outcomesOnly([1000, 1001, 1003, 1000.5]);
  // The mean of all four outcomes is 1001.125; the mean of the other three is (4004.5 - R) / 3.
  const expected = [-1.125, -0.125, 1.875, -0.625];
  expectClose(await harness.advantages([group], findRule('dr-grpo'), {}), expected, 1e-5);
  const scaled = expected.map((advantage) => (4 / 3) * advantage);
  expectClose(await harness.advantages([group], findRule('rloo'), {}), scaled, 1e-5);
});

test('a batch may contain groups without tokens next to groups with tokens', async () => {
  const rule = findRule('turn-credit');
  const [withTokens] = randomGroups(rule, 23, [8]);
  const without = groupOf([
    { turns: [0.1, 0.7], outcome: 1 },
    { turns: [0.4], outcome: 0 },
  ]);
  await harness.expectAgreement([without, withTokens, without], rule, {}, 1e-5);
});

/** Creates a group with one chain of one or two turns for each entry of `lengths`. */
function chainsOf(lengths: readonly number[]): Group {
  const turns = lengths.flatMap((length, rollout): Turn[] => {
    const first = lengths.slice(0, rollout).reduce((sum, count) => sum + count, 0);
    const last: Turn = { parent: length === 1 ? -1 : first, reward: 0, outcome: (rollout % 5) / 4 };
    return length === 1 ? [last] : [{ parent: -1, reward: (rollout % 3) / 3 }, last];
  });
  return { id: 'chains', turns };
}

test.each([8, 40].flatMap((rollouts) => ['leave', 'zero'].map((absent) => [rollouts, absent] as const)))(
  '%i chains of at most two turns have the credit of MT-GRPO under MT-GRPO-exact with absent %s',
  async (rollouts, absent) => {
    const group = chainsOf(Array.from({ length: rollouts }, (_, rollout) => (rollout % 4 === 3 ? 1 : 2)));
    const exact = findRule('mt-grpo-exact');
    const [actual] = await harness.run([group], exact, { alpha: 0.5, absent });
    const [chain] = await harness.run([group], findRule('mt-grpo'), { alpha: 0.5, absent });
    expectSameCredit(exact, actual, chain, 1e-6);
  },
);

test.each(['gdpo', 'reinforce-plus-plus'])('%s normalises a batch on the GPU as in float64', async (name) => {
  const device = await testDevice();
  const rule = findRule(name);
  const groups = randomGroups(rule, 61, [1, 2, 8, 40]);
  const forest = buildForest(groups);
  const buffers = new BufferSet(device);
  const credit = await GpuCredit.create(
    { device, kernels: new KernelCache(device, nodeShaderLibrary()) },
    buffers,
    new ForestView(forest).capacity,
    [rule],
  );
  const recorder = new Recorder(device, 64);
  credit.upload(forest);
  recorder.atomic(() => {
    credit.record(recorder, rule, {});
    credit.recordBatch(recorder, rule);
  });
  const actual = new Float32Array(await readBuffer(device, credit.advantage, forest.parent.length));
  const plain = groups.flatMap((group) => [...rule.credit(group, {}).advantage]);
  if (!rule.batch) throw new Error(`${name} has no normalisation over the batch`);
  expectClose(actual, normalizeBatch(plain, memberCounts(groups, rule.batch)), 1e-4);
  expect(Math.max(...actual)).toBeGreaterThan(0.5);
  recorder.destroy();
  buffers.destroy();
});
