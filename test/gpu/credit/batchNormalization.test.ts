import { expect, test } from 'vitest';
import { nodeShaderLibrary } from '../../../src/cli/framework/node.ts';
import { memberCounts, normalizeBatch } from '../../../src/credit/arithmetic/normalize.ts';
import { ForestView } from '../../../src/credit/gpu/forestView.ts';
import { GpuCredit } from '../../../src/credit/gpu/gpuCredit.ts';
import { findRule } from '../../../src/credit/rules.ts';
import { BufferSet, readBuffer } from '../../../src/gpu/buffers.ts';
import { KernelCache } from '../../../src/gpu/kernel.ts';
import { Recorder } from '../../../src/gpu/recorder.ts';
import { buildForest } from '../../../src/rollouts/forest.ts';
import { randomGroups } from '../../randomForests.ts';
import { expectClose } from '../../vectorFile.ts';
import { testDevice } from '../device.ts';

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
