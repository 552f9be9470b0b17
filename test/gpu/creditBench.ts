import { nodeShaderLibrary } from '../../src/cli/node.ts';
import { GpuCredit } from '../../src/credit/gpuCredit.ts';
import type { CreditRule } from '../../src/credit/rule.ts';
import type { Capacity } from '../../src/credit/stage.ts';
import { BufferSet } from '../../src/gpu/buffers.ts';
import { KernelCache } from '../../src/gpu/kernel.ts';
import { Recorder } from '../../src/gpu/recorder.ts';
import type { ParameterValues } from '../../src/parameters/parameters.ts';
import { buildForest, type Group } from '../../src/rollouts/forest.ts';
import { readBuffer, testDevice } from './device.ts';

/** GpuCredit on the test device, with its answers read back. */
export interface CreditBench {
  readonly credit: GpuCredit;
  /** [turns]: the advantages of a batch under a rule, or under the last of several. */
  advantages(
    groups: readonly Group[],
    rules: CreditRule | readonly CreditRule[],
    parameters: ParameterValues,
  ): Promise<Float32Array>;
  destroy(): void;
}

export async function creditBench(capacity: Capacity): Promise<CreditBench> {
  const device = await testDevice();
  const buffers = new BufferSet(device);
  const recorder = new Recorder(device, 64);
  const kernels = new KernelCache(device, nodeShaderLibrary());
  const credit = await GpuCredit.create({ device, kernels }, buffers, capacity);
  return {
    credit,
    async advantages(groups, rules, parameters) {
      const forest = buildForest(groups);
      credit.upload(forest);
      for (const rule of [rules].flat()) credit.encode(recorder, rule, parameters);
      recorder.submit();
      return new Float32Array(await readBuffer(credit.advantage)).subarray(0, forest.parent.length);
    },
    destroy() {
      recorder.destroy();
      buffers.destroy();
    },
  };
}
