import { ReadbackRing, readBuffer } from '../../gpu/buffers.ts';
import type { Recorder } from '../../gpu/recorder.ts';
import {
  type LossBuffers,
  type LossExtent,
  type Objective,
  REPORT_LINE_SIZE,
  reportLine,
} from '../../objective/objective.ts';
import type { Minibatch } from '../../policy/batch.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Workspace } from '../../policy/workspace.ts';
import type { AdamWStep, ReportLine, Sequence } from '../shared.ts';

/** Number of words per target in `workspace.distribution`. */
const STRIDE = 4;
/** Index of the log-probability among the words of a target. */
export const LOG_PROBABILITY = 1;
/** Index of the value among the words of a target. */
export const VALUE = 3;

/** Packs and uploads one minibatch, which replaces earlier uploads. */
export function packed({ workspace }: Policy, sequences: readonly Sequence[]): Minibatch {
  workspace.packer.clear();
  const minibatch = workspace.packer.add(sequences);
  workspace.uploadBatch();
  return minibatch;
}

/**
 * Runs one forward pass without a backward pass.
 * @param record records the pass and the distribution at its targets
 * @param field index of the returned word
 * @returns [targets] the word of each token with a weight
 */
export async function targetPass(
  policy: Policy,
  recorder: Recorder,
  sequences: readonly Sequence[],
  record: (minibatch: Minibatch) => void,
  field: typeof LOG_PROBABILITY | typeof VALUE,
): Promise<Float32Array> {
  const minibatch = packed(policy, sequences);
  recorder.atomic(() => record(minibatch));
  const { gpu, workspace } = policy;
  const values = new Float32Array(await readBuffer(gpu.device, workspace.distribution, STRIDE * minibatch.targets));
  return Float32Array.from({ length: minibatch.targets }, (_, target) => values[STRIDE * target + field]);
}

/** Returns the targets of a packed minibatch, over which a loss runs. */
export function lossExtent({ targetBase, countIndex, targets }: Minibatch): LossExtent {
  return { targetBase, countIndex: countIndex + 1, limit: targets };
}

/** Returns the buffers of a workspace that a loss reads and writes. */
export function lossBuffers({ batch, distribution, recorded, lossGradient, terms }: Workspace): LossBuffers {
  return { ...batch, distribution, recorded, lossGradient, terms };
}

/** Number of read-backs in flight: a warm start awaits a step after it records the next step. */
const DEPTH = 3;

/** Weighted cross-entropy of sequences under the policy: its value, its gradient, and optimizer steps on it. */
export class CrossEntropy {
  private readonly report: GPUBuffer;
  private readonly ring: ReadbackRing;

  constructor(
    private readonly policy: Policy,
    private readonly recorder: Recorder,
    private readonly objective: Objective,
  ) {
    this.report = policy.buffers.storage('cross-entropy report', REPORT_LINE_SIZE);
    this.ring = new ReadbackRing(policy.buffers, 'cross-entropy report', REPORT_LINE_SIZE, DEPTH);
  }

  /** Computes the loss, and takes an optimizer step if `step` is defined. */
  async learn(sequences: readonly Sequence[], step?: AdamWStep): Promise<ReportLine> {
    const { policy, recorder, report } = this;
    const minibatch = packed(policy, sequences);
    const read = recorder.atomic(() => {
      this.recordLoss(minibatch);
      if (step) {
        policy.backward.record(recorder, policy.parameters, minibatch);
        policy.optimizer.record(recorder, policy.parameters, step, report, 0);
      }
      return this.ring.record(recorder, report);
    });
    return reportLine(new Float32Array(await read()), 0);
  }

  /** Computes the gradient of the sum of weight · log-probability. @returns [parameters] */
  async gradient(sequences: readonly Sequence[]): Promise<Float32Array> {
    const { policy, recorder } = this;
    const { size } = policy.layout;
    const minibatch = packed(policy, sequences);
    if (minibatch.targets === 0) return new Float32Array(size);
    recorder.atomic(() => {
      this.recordLoss(minibatch);
      policy.backward.record(recorder, policy.parameters, minibatch);
      policy.optimizer.recordSum(recorder);
    });
    const descent = new Float32Array(await readBuffer(policy.gpu.device, policy.optimizer.gradient, size));
    return descent.map((slope) => -slope);
  }

  /** Records the forward pass and the loss, including the gradients of the logits. */
  private recordLoss(minibatch: Minibatch): void {
    const { policy, recorder, objective, report } = this;
    policy.recordForward(recorder, minibatch);
    const buffers = lossBuffers(policy.workspace);
    objective.recordCrossEntropy(recorder, buffers, lossExtent(minibatch), { report, line: 0 });
  }
}
