import { describe, expect, test } from 'vitest';
import { nodeShaderLibrary } from '../../../src/cli/framework/node.ts';
import { CreditError } from '../../../src/credit/creditError.ts';
import { ForestView } from '../../../src/credit/gpu/forestView.ts';
import { GpuCredit } from '../../../src/credit/gpu/gpuCredit.ts';
import {
  actionSignature,
  edgeRuns,
  sortedTurns,
  stateRuns,
  stateSignature,
} from '../../../src/credit/gpu/turnSignatures.ts';
import { findRule } from '../../../src/credit/rules.ts';
import { BufferSet, readBuffer } from '../../../src/gpu/buffers.ts';
import { KernelCache } from '../../../src/gpu/kernel.ts';
import { Recorder } from '../../../src/gpu/recorder.ts';
import { CounterRandom } from '../../../src/random/counter.ts';
import { buildForest, type Group } from '../../../src/rollouts/forest.ts';
import { expectSameCredit } from '../../creditExpectations.ts';
import { type Walk, walks } from '../../statefulGroups.ts';
import { testDevice } from '../device.ts';
import { useCreditHarness } from './creditHarness.ts';

const [rtmc, gigpo, grpoStep] = ['rtmc', 'gigpo', 'grpo-step'].map(findRule);

const harness = useCreditHarness();

/**
 * Creates a group of `turns` turns in rollouts of at most `longest` turns. Each turn has one of `states` random states
 * and one of `actions` random actions.
 */
function randomWalks(turns: number, longest: number, states: number, actions: number): Group {
  const random = new CounterRandom(turns, longest, states);
  const rollouts: Walk[] = [];
  for (let left = turns; left > 0; ) {
    const length = Math.min(left, 1 + random.integer(longest));
    left -= length;
    const steps = Array.from({ length }, () => ({
      state: `s${random.integer(states)}`,
      action: `a${random.integer(actions)}`,
      reward: random.integer(21) / 10 - 1,
    }));
    rollouts.push({ steps, outcome: random.integer(3), solved: random.integer(2) === 0 });
  }
  return walks(rollouts, `${turns} turns, ${states} states`);
}

/** Group sizes [turns] around powers of two, where a run of the merge sort is cut short, and around a workgroup. */
const SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 127, 129, 1000];
const groups = [
  ...SIZES.map((size) => randomWalks(size, 5, 4, 2)),
  { id: 'empty', turns: [] },
  ...SIZES.map((size) => randomWalks(size, 3, size, size)),
];

test('turns are sorted by signature, trajectory and index, and every run is detected', async () => {
  const device = await testDevice();
  const buffers = new BufferSet(device);
  const recorder = new Recorder(device, 64);
  const forest = buildForest(groups);
  const view = new ForestView(forest);
  const { turns } = view;
  const kernels = new KernelCache(device, nodeShaderLibrary());
  const credit = await GpuCredit.create({ device, kernels }, buffers, view.capacity, [rtmc]);
  credit.upload(forest);
  credit.record(recorder, rtmc, {});
  recorder.submit();
  const read = async (array: typeof sortedTurns, count: number) =>
    new Uint32Array(await readBuffer(device, credit.buffer(array), count));
  const order = await read(sortedTurns, turns);
  const edges = await read(edgeRuns, turns + 1);
  const states = await read(stateRuns, turns + 1);

  const [stateBits, actionBits] = [stateSignature, actionSignature].map(({ fill }) => fill?.(view) ?? []);
  const { of, turnIndex } = view.trajectories;
  const key = (turn: number) => [
    stateBits[2 * turn],
    stateBits[2 * turn + 1],
    actionBits[2 * turn],
    actionBits[2 * turn + 1],
    of[turn],
    turnIndex[turn],
  ];
  const compare = (a: number, b: number) => {
    const [left, right] = [key(a), key(b)];
    const at = left.findIndex((value, index) => value !== right[index]);
    return at < 0 ? 0 : left[at] - right[at];
  };
  const { groupOffset } = forest;
  const expected = groups.flatMap((_, group) => {
    const members = Array.from(
      { length: groupOffset[group + 1] - groupOffset[group] },
      (_, t) => groupOffset[group] + t,
    );
    return members.sort(compare);
  });
  expect([...order]).toEqual(expected);

  const groupOf = groups.flatMap(({ turns }, group) => turns.map(() => group));
  const starts = (size: number) => {
    const next = new Array<number>(turns + 1).fill(turns);
    for (let p = turns - 1; p >= 0; p--) {
      const [here, before] = [expected[p], expected[p - 1]];
      const same =
        p > 0 &&
        groupOf[here] === groupOf[before] &&
        key(here)
          .slice(0, size)
          .every((value, i) => value === key(before)[i]);
      next[p] = same ? next[p + 1] : p;
    }
    return next;
  };
  expect([...edges]).toEqual(starts(4));
  expect([...states]).toEqual(starts(2));
  recorder.destroy();
  buffers.destroy();
});

/** Groups whose runs are just below, at, just above and far above the most turns that one invocation processes. */
const LONG = [63, 64, 65, 66, 128, 129, 5000].map((turns) => randomWalks(turns, 6, 1, 1));

describe.each([
  ['rtmc', rtmc, {}],
  ['rtmc with kappa 0, a bonus and scale std', rtmc, { kappa: 0, bonus: 0.05, scale: 'std', gamma: 0.9 }],
  ['gigpo', gigpo, {}],
  ['gigpo with mode mean_std_norm', gigpo, { mode: 'mean_std_norm', omega: 0.5, profile: 'verl' }],
  ['grpo-step', grpoStep, {}],
] as const)('%s', (_, rule, parameters) => {
  test.each([
    ['groups of all sizes', groups],
    ['long groups with one state and one action', LONG],
    ['one rollout with repeated states', [randomWalks(700, 1e9, 3, 2)]],
    ['groups with shared states', [7, 8, 9].map((seed) => ({ ...randomWalks(40, seed, 3, 2), id: `${seed}` }))],
  ])('the GPU credit agrees with float64: %s', async (_, batch) => {
    await harness.expectAgreement(batch, rule, parameters);
  });

  test('the GPU accepts interleaved turns of several rollouts', async () => {
    const turns = [
      { parent: -1, reward: 0.3, state: 's', action: 'a' },
      { parent: -1, reward: 0.1, state: 's', action: 'a' },
      { parent: 1, reward: 0.2, state: 's', action: 'a', outcome: 1, solved: true },
      { parent: 0, reward: 0, state: 's', action: 'b', outcome: 0, solved: false },
    ];
    await harness.expectAgreement([{ id: 'between', turns }], rule, parameters);
  });
});

test('RTMC scales each of more groups than a dispatch has workgroups per dimension', async () => {
  const batch = Array.from({ length: 66_000 }, (_, index) =>
    walks([
      { steps: [{ state: 's', action: 'a', reward: index % 7 }], solved: index % 2 === 0 },
      { steps: [{ state: 's', action: 'b', reward: 1 }] },
    ]),
  );
  const credits = await harness.run(batch, rtmc, { scale: 'std' });
  for (const index of [0, 1, 65_534, 65_535, 65_536, 65_999]) {
    expectSameCredit(rtmc, credits[index], rtmc.credit(batch[index], { scale: 'std' }), 1e-4);
  }
});

test('mathematically equal returns have advantages of exactly 0', async () => {
  // 0.1 + 0.2 and 0.3 are mathematically equal, but not in float32.
  const rollout = (...rewards: number[]): Walk => ({
    steps: rewards.map((reward, k) => ({ state: `s${k}`, action: `a${rewards.length}`, reward })),
    outcome: 0.7,
  });
  const group = walks([rollout(0.1, 0.2), rollout(0.3, 0), rollout(0.3)]);
  const firsts = async (...run: Parameters<typeof harness.advantages>) => {
    const advantages = await harness.advantages(...run);
    return [0, 2, 4].map((turn) => advantages[turn]);
  };
  expect(await firsts([group], gigpo, { gamma: 1, mode: 'mean_std_norm' })).toEqual([0, 0, 0]);
  expect(await firsts([group], rtmc, { gamma: 1, kappa: 0, scale: 'std' })).toEqual([0, 0, 0]);
});

test('RTMC rejects a turn without state, action or solved with an error that names the field', async () => {
  const turn = { parent: -1, reward: 0, state: 's', action: 'a', solved: false };
  for (const field of ['state', 'action', 'solved'] as const) {
    const run = harness.run([{ id: 'g', turns: [turn, { ...turn, [field]: undefined }] }], rtmc, {});
    await expect(run).rejects.toThrow(CreditError);
    await expect(run).rejects.toThrow(`group "g", turn 1, field "${field}"`);
  }
});
