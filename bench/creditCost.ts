import { degenerate } from '../src/credit/arithmetic/degenerate.ts';
import { ForestView } from '../src/credit/gpu/forestView.ts';
import type { BatchArray } from '../src/credit/gpu/stage.ts';
import { findRule } from '../src/credit/rules.ts';
import { creditCount, usedCredit } from '../src/engine/updatePlan.ts';
import type { RolloutBatch } from '../src/rollouts/rolloutBatch.ts';
import type { Trainer } from '../src/training/run/trainer.ts';
import { mapCreditPositions, runParameters } from '../src/training/update/planUpdate.ts';
import { median } from './measure.ts';
import type { KernelTime } from './profile.ts';

/** Cost of credit in an update, without the passes of the critic. */
export interface CreditCost {
  readonly rule: string;
  readonly kernelMs: number;
  /** Time on the host [ms]: building arrays for the GPU, distributing advantages, finding tied groups. */
  readonly hostMs: number;
  /** Share of the time of all kernels and of the host, 0 to 1. */
  readonly share: number;
}

/** Measures the time of the host on a batch, and adds the credit kernels of a profiled update. */
export function creditCost(
  { controls, environment }: Trainer,
  batch: RolloutBatch,
  kernels: readonly KernelTime[],
  repeats: number,
): CreditCost {
  const rule = findRule(controls.rule as string);
  const parameters = runParameters(rule, controls, environment.maxTurns);
  const read = new Float32Array(creditCount(batch, rule));
  const arrays = new Set<BatchArray>(rule.stages.flatMap(({ bindings }) => Object.values(bindings)));
  const host = () => {
    const start = performance.now();
    const view = new ForestView(batch.forest);
    // Values of a critic stay on the GPU.
    for (const { fill, label } of arrays) if (label !== 'token value') fill?.(view);
    mapCreditPositions(batch, rule);
    usedCredit(batch, rule, read);
    degenerate(batch.groups, rule, parameters, environment.outcomeRange(controls));
    return performance.now() - start;
  };
  for (let warmUp = 0; warmUp < 20; warmUp++) host();
  const hostMs = median(Array.from({ length: repeats }, host));
  const sum = (chosen: readonly KernelTime[]) => chosen.reduce((total, { ms }) => total + ms, 0);
  const ours = (name: string) => name.startsWith('credit/') || name === 'objective/normalize_tokens';
  const kernelMs = sum(kernels.filter(({ kernel }) => ours(kernel)));
  return { rule: rule.name, kernelMs, hostMs, share: (kernelMs + hostMs) / (sum(kernels) + hostMs) };
}
