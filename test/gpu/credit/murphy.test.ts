import { describe, expect, test } from 'vitest';
import { nodeShaderLibrary } from '../../../src/cli/framework/node.ts';
import { CreditError } from '../../../src/credit/creditError.ts';
import { ForestView } from '../../../src/credit/gpu/forestView.ts';
import { GpuCredit } from '../../../src/credit/gpu/gpuCredit.ts';
import { findRule } from '../../../src/credit/rules.ts';
import { BufferSet, readBuffer } from '../../../src/gpu/buffers.ts';
import { KernelCache } from '../../../src/gpu/kernel.ts';
import { Recorder } from '../../../src/gpu/recorder.ts';
import type { ParameterValues } from '../../../src/parameters/parameters.ts';
import { CounterRandom } from '../../../src/random/counter.ts';
import { buildForest, type Group, type Turn } from '../../../src/rollouts/forest.ts';
import { randomGroups } from '../../randomForests.ts';
import { testDevice } from '../device.ts';
import { useCreditHarness } from './creditHarness.ts';

const harness = useCreditHarness();

const mars = findRule('murphy-mars');
const mers = findRule('murphy-mers');

/**
 * Creates a tree with the given number of continuations per turn on each level. A reward is a random share of `tests`.
 */
function tree(seed: number, branching: readonly number[], tests = 10): Group {
  const random = new CounterRandom(seed, 3);
  const turns: Turn[] = [];
  let level = [-1];
  for (const count of branching) {
    const next: number[] = [];
    for (const parent of level) {
      for (let child = 0; child < count; child++) {
        next.push(turns.length);
        turns.push({ parent, reward: random.integer(tests + 1) / tests });
      }
    }
    level = next;
  }
  return { id: `tree ${seed} ${branching.join('x')}`, turns };
}

describe('MaRS and MeRS on random forests', () => {
  test.each<ParameterValues>([
    { intra: '2' },
    { intra: '3/2/1/1' },
    { intra: '8/1' },
    { inter: '1' },
    { inter: '2/3/1' },
    { intra: '4/2', inter: '3/2' },
    { maxTurns: 7 },
    { profile: 'verl', intra: '2/1', inter: '2' },
  ])('MaRS agrees with float64 on random forests, %j', async (parameters) => {
    await harness.expectAgreement([...randomGroups(mars, 21), ...randomGroups(mars, 22)], mars, parameters);
  });

  test.each<ParameterValues>([
    { gamma: 0 },
    { gamma: 1 },
    { gamma: 0.5, maxTurns: 6 },
    { normalizer: 'components' },
    { normalizer: 'components', maxTurns: 4, inter: '2' },
    { intra: '3/2', inter: '2/1' },
    { profile: 'rllm', intra: '2/1' },
  ])('MeRS agrees with float64 on random forests, %j', async (parameters) => {
    await harness.expectAgreement([...randomGroups(mers, 23), ...randomGroups(mers, 24)], mers, parameters);
  });
});

describe('MaRS and MeRS on lists longer than a workgroup', () => {
  // One invocation processes up to 32 members; a workgroup processes 33 or more.
  const sizes = [31, 32, 33, 64, 65, 200];

  test.each(['1', '20', '32', '33', '64', '150', '1000'])('IntraP keeps %s of many tied turns', async (intra) => {
    const groups = sizes.flatMap((size) => [tree(1, [size]), tree(2, [3, size], 2)]);
    await harness.expectAgreement(groups, mars, { intra: `${intra}/${intra}` });
  });

  test.each([1, 7, 40, 90])('InterP keeps %i of many tied refinement groups', async (inter) => {
    const groups = [33, 64, 100].map((size) => tree(3, [size, 8], 5));
    await harness.expectAgreement(groups, mars, { inter: String(inter) });
  });

  test('MaRS and MeRS agree with float64 on thousands of first turns and continuations', async () => {
    const groups = [tree(4, [5000]), tree(5, [2, 3000]), tree(6, [700, 2])];
    for (const parameters of [{}, { intra: '400/100', inter: '300' }]) {
      await harness.expectAgreement(groups, mars, parameters);
      await harness.expectAgreement(groups, mers, parameters);
    }
  });

  test('MeRS agrees with float64 on a tree with small and large response groups', async () => {
    await harness.expectAgreement([tree(7, [2, 40, 2]), tree(8, [40, 1, 3]), tree(9, [1, 2, 50])], mers, {});
    await harness.expectAgreement([tree(7, [2, 40, 2]), tree(8, [40, 1, 3])], mers, {
      intra: '30/30/1',
      inter: '20/20',
    });
  });
});

test('MaRS and MeRS agree with float64 on pruned paths of a hundred turns', async () => {
  const path = (length: number, id: string): Group => {
    const turns: Turn[] = [];
    for (let rollout = 0; rollout < 3; rollout++) {
      for (let turn = 0; turn < length; turn++) {
        turns.push({ parent: turn === 0 ? -1 : turns.length - 1, reward: ((rollout + turn) % 4) / 4 });
      }
    }
    return { id, turns };
  };
  const groups = [path(100, 'long'), path(9, 'nine'), path(10, 'ten'), path(1, 'one')];
  await harness.expectAgreement(groups, mars, {});
  await harness.expectAgreement(groups, mars, { intra: '2', inter: '3/3/3/3/3/3/3/1' });
  await harness.expectAgreement(groups, mers, { intra: '3/1/1/1/1/1/1/1' });
});

test('MeRS treats mathematically equal sums as tied although their terms cancel', async () => {
  // (0.8 - 0.9 * 0.9) / 2 = -0.005 = (-0.1 + 0.9 * 0.1) / 2
  const turns = [
    [-1, 0.8],
    [-1, -0.1],
    [0, -0.8],
    [0, -1],
    [1, 0.6],
    [1, -0.4],
  ].map(([parent, reward]) => ({ parent, reward }));
  const [{ advantage }] = await harness.run([{ id: 'cancelling', turns }], mers, {});
  expect([...advantage.subarray(0, 2)]).toEqual([0, 0]);
});

test('equal rewards have advantages of exactly 0 under MaRS and MeRS', async () => {
  const turns = tree(10, [6, 5, 40]).turns.map((turn) => ({ ...turn, reward: 1 / 3 }));
  for (const rule of [mars, mers]) {
    // Not for MeRS: InterP leaves first turns without continuations, to which MeRS assigns a different credit.
    for (const parameters of [{}, { intra: '4/3/20' }, ...(rule === mars ? [{ inter: '3/2' }] : [])]) {
      const [{ advantage }] = await harness.run([{ id: 'equal', turns }], rule, parameters);
      expect(advantage.every((value) => value === 0 || Number.isNaN(value))).toBe(true);
    }
  }
});

test('MaRS overwrites the advantages of dropped turns with 0 on the GPU, and drops none without lists', async () => {
  const device = await testDevice();
  const forest = buildForest([tree(11, [8, 8])]);
  const buffers = new BufferSet(device);
  const gpu = { device, kernels: new KernelCache(device, nodeShaderLibrary()) };
  const credit = await GpuCredit.create(gpu, buffers, new ForestView(forest).capacity, [mars]);
  const recorder = new Recorder(device, 64);
  credit.upload(forest);
  const run = async (parameters: ParameterValues) => {
    credit.record(recorder, mars, parameters);
    recorder.submit();
    return new Float32Array(await readBuffer(device, credit.advantage, forest.parent.length));
  };
  const before = await run({});
  const parameters = { intra: '4/4', inter: '2' };
  const pruned = await run(parameters);
  const expected = mars.credit(forest.groups[0], parameters).advantage;
  const dropped = [...expected.keys()].filter((turn) => Number.isNaN(expected[turn]));
  expect(dropped.some((turn) => before[turn] !== 0)).toBe(true);
  expect(dropped.every((turn) => pruned[turn] === 0)).toBe(true);
  expect(await run({})).toEqual(before);
  recorder.destroy();
  buffers.destroy();
});

test('MaRS and MeRS reject turns beyond maxTurns and rewards that are not finite, with group and turn', async () => {
  const groups = [tree(12, [2, 1]), tree(13, [1, 1, 2])];
  const beyond = harness.run(groups, mers, { maxTurns: 2 });
  await expect(beyond).rejects.toThrow(CreditError);
  await expect(beyond).rejects.toThrow(
    'group "tree 13 1x1x2", turn 2, field "parent": this is turn 3 of its path, beyond maxTurns 2',
  );
  const turns = [...groups[1].turns, { parent: -1, reward: NaN }];
  await expect(harness.run([groups[0], { id: 'g', turns }], mars, {})).rejects.toThrow(
    'group "g", turn 4, field "reward": NaN is not a finite number',
  );
  await harness.expectAgreement(groups, mers, { maxTurns: 3 });
});
