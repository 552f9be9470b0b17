import { nodeShaderLibrary } from '../../../src/cli/framework/node.ts';
import { CreditBatch } from '../../../src/credit/gpu/creditBatch.ts';
import type { Credit, CreditRule } from '../../../src/credit/rule.ts';
import { KernelCache } from '../../../src/gpu/kernel.ts';
import type { ParameterValues } from '../../../src/parameters/parameters.ts';
import type { Group } from '../../../src/rollouts/forest.ts';
import { testDevice } from '../device.ts';

/** Credit rules on the test device; their results are read back to the CPU. */
export interface CreditHarness {
  /** Computes the credit of each group of a batch under a rule, on the GPU. */
  run(groups: readonly Group[], rule: CreditRule, parameters: ParameterValues): Promise<readonly Credit[]>;
  /** Returns the advantages of the turns of a batch, group after group. */
  advantages(groups: readonly Group[], rule: CreditRule, parameters: ParameterValues): Promise<number[]>;
  destroy(): void;
}

export async function createCreditHarness(): Promise<CreditHarness> {
  const device = await testDevice();
  const gpu = { device, kernels: new KernelCache(device, nodeShaderLibrary()) };
  const batches = new Map<CreditRule, CreditBatch>();
  const run: CreditHarness['run'] = (groups, rule, parameters) => {
    let batch = batches.get(rule);
    if (!batch) {
      batch = new CreditBatch(gpu, rule);
      batches.set(rule, batch);
    }
    return batch.run(groups, parameters);
  };
  return {
    run,
    advantages: async (groups, rule, parameters) =>
      (await run(groups, rule, parameters)).flatMap(({ advantage }) => [...advantage]),
    destroy() {
      for (const batch of batches.values()) batch.destroy();
    },
  };
}
