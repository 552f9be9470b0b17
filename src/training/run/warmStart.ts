import type { Demonstration, Timing, WarmStartStage } from '../../environments/environment.ts';
import { ReadbackRing } from '../../gpu/readbackRing.ts';
import type { Recorder } from '../../gpu/recorder.ts';
import { type Objective, REPORT_WORDS, reportLine } from '../../objective/objective.ts';
import type { Sequence } from '../../policy/batch.ts';
import type { AdamWStep } from '../../policy/optimizer.ts';
import type { Policy } from '../../policy/policy.ts';
import { initialParameters } from '../../policy/weights.ts';
import type { WarmStartProgress } from '../data/protocol.ts';
import { lossBuffers, lossExtent } from '../update/lossArguments.ts';

/** AdamW as the warm start was measured with. */
const OPTIMIZER: AdamWStep = {
  learningRate: 0,
  beta1: 0.9,
  beta2: 0.98,
  epsilon: 1e-8,
  weightDecay: 0.01,
  clipNorm: 1,
};
/** The cosine ends at this share of the learning rate. */
const FLOOR = 0.05;

/** Learning rate of a step: linear warm-up, cosine decay to a floor. */
function warmStartRate(
  stage: Pick<WarmStartStage<Timing>, 'learningRate' | 'warmUpSteps' | 'steps' | 'optimizer'>,
  step: number,
): number {
  const floor = stage.optimizer?.floor ?? FLOOR;
  const cosine = 0.5 * (1 + Math.cos((Math.PI * step) / stage.steps));
  return stage.learningRate * Math.min(1, (step + 1) / stage.warmUpSteps) * (floor + (1 - floor) * cosine);
}

/**
 * Trains fresh parameters on demonstrations, stage after stage, with the kernels that reinforcement learning uses.
 * The moments of the optimiser start anew with each stage.
 * @param seed of the initial parameters
 * @param progress called a few steps late; throw from it to stop
 */
export async function warmStart(
  policy: Policy,
  objective: Objective,
  recorder: Recorder,
  stages: readonly WarmStartStage<Timing>[],
  seed: number,
  progress: (progress: WarmStartProgress) => void | Promise<void>,
): Promise<void> {
  const report = policy.buffers.storage('warm-start report', REPORT_WORDS);
  const ring = new ReadbackRing(policy.buffers, 'warm-start report', REPORT_WORDS, 3);
  policy.start(initialParameters(policy.config, seed));
  let ahead = stages.reduce((sum, { steps }) => sum + steps, 0);
  for (const [index, stage] of stages.entries()) {
    const zeros = new Float32Array(policy.layout.size);
    policy.gpu.device.queue.writeBuffer(policy.optimizer.firstMoment, 0, zeros);
    policy.gpu.device.queue.writeBuffer(policy.optimizer.secondMoment, 0, zeros);
    policy.optimizer.steps = 0;
    let pending: Promise<void> = Promise.resolve();
    let next = stage.steps > 0 ? stage.demonstrations(0) : [];
    for (let step = 0; step < stage.steps; step++) {
      const demonstrations = await next;
      // Programs of the next batch run while the GPU learns from this one.
      next = step + 1 < stage.steps ? stage.demonstrations(step + 1) : [];
      if (next instanceof Promise) next.catch(() => {});
      const read = recorder.whole(() => {
        supervisedStep(policy, objective, recorder, stage, step, demonstrations, report);
        return ring.record(recorder, report);
      });
      const left = --ahead;
      const arrived = read().then((data) => {
        const { loss } = reportLine(new Float32Array(data), 0);
        const which = { stage: stage.name, number: index + 1, stages: stages.length };
        return progress({ ...which, step, steps: stage.steps, left, loss });
      });
      // Awaited a step later; a rejection until then must not count as unhandled.
      arrived.catch(() => {});
      await pending;
      pending = arrived;
    }
    await pending;
  }
}

function supervisedStep(
  policy: Policy,
  objective: Objective,
  recorder: Recorder,
  stage: WarmStartStage<Timing>,
  step: number,
  demonstrations: readonly Demonstration[],
  report: GPUBuffer,
): void {
  const total = demonstrations.reduce((sum, { weights }) => sum + weights.slice(1).reduce((a, b) => a + b, 0), 0);
  const sequences = demonstrations.map(({ tokens, weights }): Sequence => {
    return { tokens, weights: weights.map((weight, at) => (at === 0 ? 0 : weight / total)), credits: tokens, slot: 0 };
  });
  const { workspace } = policy;
  workspace.packer.clear();
  const minibatch = workspace.packer.add(sequences);
  workspace.uploadBatch();
  policy.recordForward(recorder, minibatch);
  objective.recordCrossEntropy(recorder, lossBuffers(workspace), lossExtent(minibatch), { report, line: 0 });
  policy.backward.record(recorder, policy.parameters, minibatch);
  const { beta1, beta2, weightDecay } = { ...OPTIMIZER, ...stage.optimizer };
  const optimizer = { ...OPTIMIZER, beta1, beta2, weightDecay, learningRate: warmStartRate(stage, step) };
  policy.optimizer.record(recorder, policy.parameters, optimizer, report, 0);
}
