import { afterAll, beforeAll } from 'vitest';
import { nodeShaderLibrary } from '../../../src/cli/framework/node.ts';
import { CreditBatch } from '../../../src/credit/gpu/creditBatch.ts';
import type { Credit, CreditRule } from '../../../src/credit/rule.ts';
import { KernelCache } from '../../../src/gpu/kernel.ts';
import type { ParameterValues } from '../../../src/parameters/parameters.ts';
import type { Group } from '../../../src/rollouts/forest.ts';
import { expectSameCredit } from '../../creditExpectations.ts';
import { testDevice } from '../device.ts';

/** Credit rules on the test device; their results are read back to the CPU. */
export interface CreditHarness {
  /** Computes the credit of each group of a batch under a rule, on the GPU. */
  run(groups: readonly Group[], rule: CreditRule, parameters: ParameterValues): Promise<readonly Credit[]>;
  /** Returns the advantages of the turns of a batch, group after group. */
  advantages(groups: readonly Group[], rule: CreditRule, parameters: ParameterValues): Promise<number[]>;
  /** Expects that the GPU computes the credit of float64. @param tolerance relative to the largest value */
  expectAgreement(
    groups: readonly Group[],
    rule: CreditRule,
    parameters: ParameterValues,
    tolerance?: number,
  ): Promise<void>;
  destroy(): void;
}

async function createCreditHarness(): Promise<CreditHarness> {
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
    async expectAgreement(groups, rule, parameters, tolerance = 1e-4) {
      const credits = await run(groups, rule, parameters);
      groups.forEach((group, index) => {
        expectSameCredit(rule, credits[index], rule.credit(group, parameters), tolerance);
      });
    },
    destroy() {
      for (const batch of batches.values()) batch.destroy();
    },
  };
}

/** Opens a harness before the tests of a file and closes it after them. */
export function useCreditHarness(): CreditHarness {
  const opened = {} as CreditHarness;
  beforeAll(async () => {
    Object.assign(opened, await createCreditHarness());
  });
  afterAll(() => opened.destroy?.());
  return opened;
}
