import { describe, expect, test, vi } from 'vitest';
import { findRule } from '../../../src/credit/rules.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { objectiveWeights, type UpdatePlan } from '../../../src/engine/updatePlan.ts';
import { ENVIRONMENTS } from '../../../src/environments/registry.ts';
import { tokenLoss } from '../../../src/objective/surrogate.ts';
import { type PolicyConfiguration, parameterLayout } from '../../../src/policy/weights.ts';
import { ENVIRONMENT_NAMES, type EnvironmentName } from '../../../src/training/data/configuration.ts';
import { OFFERED } from '../../../src/training/data/configurationTables.ts';
import { type ReferenceTensors, type ReferenceToken, referenceTokens } from '../../reference/network.ts';
import { SMALL_REPAIR, SMALL_REPO } from './environmentUpdates.ts';
import { type Controls, runWithControls } from './startedTestRun.ts';

/** Controls of batches that are small enough to compute in float64 in seconds. */
const SMALLEST: Controls = { questions: 2, groupSize: 4 };
const SMALL: Readonly<Partial<Record<EnvironmentName, Controls>>> = {
  repair: { ...SMALL_REPAIR, programs: 6 },
  repo: SMALL_REPO,
};
/** Distance in parameters between the two sides of a central difference. */
const DISTANCE = 1e-4;

const tensorsOf = (config: PolicyConfiguration, flat: Float64Array): ReferenceTensors =>
  Object.fromEntries(
    parameterLayout(config).tensors.map(({ name, offset, size }) => [name, flat.subarray(offset, offset + size)]),
  );

/** Returns the float64 loss of the only minibatch of a plan, with outputs `at` the current parameters. */
function float64Loss(plan: UpdatePlan, advantage: ArrayLike<number>, at: Outputs, sampled: Outputs): number {
  const weights = objectiveWeights(plan.controls);
  let sum = 0;
  for (const [index, { tokens, weights: shares, credits }] of plan.minibatches[0].entries()) {
    for (let token = 1; token < tokens.length; token++) {
      if (shares[token] === 0) continue;
      const [{ logProb, entropy }, { logProb: oldLogProb }] = [at[index][token - 1], sampled[index][token - 1]];
      const term = { logProb, entropy, oldLogProb, referenceLogProb: oldLogProb, advantage: advantage[credits[token]] };
      sum += shares[token] * tokenLoss(term, weights).loss;
    }
  }
  return sum;
}

/** Outputs of the policy [sequences][tokens - 1]. */
type Outputs = readonly (readonly ReferenceToken[])[];

describe.each(ENVIRONMENT_NAMES)(
  '%s: the first update on the exact engine has the loss and gradient of float64',
  (name) => {
    test.each(OFFERED[name])('the first update has the loss and gradient norm of float64 under %s', async (rule) => {
      const controls = {
        ...(SMALL[name] ?? SMALLEST),
        rule,
        minibatches: 1,
        epochs: 1,
        criticUpdates: 0,
        entropyCoef: 0.01,
      };
      const run = await runWithControls(name, controls);
      const { engine } = run.trainer;
      const before = await engine.readState();
      const update = vi.spyOn(engine, 'update');
      await (await run.update()).metrics;
      const [plan] = update.mock.calls[0];
      const { minibatches, credit } = await (update.mock.results[0].value as ReturnType<Engine['update']>);
      expect(minibatches).toHaveLength(1);
      const [{ loss, gradientNorm }] = minibatches;
      // After the first step of AdamW, the first moment is (1 - beta1) times the clipped gradient.
      const { firstMoment } = await engine.readState();
      const clip = Math.min(1, (plan.controls.clipNorm as number) / (gradientNorm + 1e-6));
      const { size } = parameterLayout(engine.config);
      const gradient = Float64Array.from(
        firstMoment.subarray(0, size),
        (moment) => moment / (1 - ENVIRONMENTS[name].betas[0]) / clip,
      );
      const outputs = (step: number): Outputs => {
        const flat = gradient.map(
          (slope, i) => before.parameters[i] + (gradientNorm > 0 ? (step * slope) / gradientNorm : 0),
        );
        return plan.minibatches[0].map(({ tokens }) =>
          referenceTokens(engine.config, tensorsOf(engine.config, flat), Array.from(tokens)),
        );
      };
      const advantage = findRule(rule).unit === 'token' ? (credit.tokens ?? []) : credit.turns;
      const sampled = outputs(0);
      const lossAt = (at: Outputs) => float64Loss(plan, advantage, at, sampled);
      const relative = (a: number, b: number) => Math.abs(a - b) / Math.max(0.1, Math.abs(b));
      expect(relative(loss, lossAt(sampled))).toBeLessThan(1e-5);
      // The derivative along the gradient equals the gradient norm.
      const slope = (lossAt(outputs(DISTANCE / 2)) - lossAt(outputs(-DISTANCE / 2))) / DISTANCE;
      expect(gradientNorm).toBeGreaterThan(0);
      expect(relative(gradientNorm, slope)).toBeLessThan(1e-5);
    });
  },
);
