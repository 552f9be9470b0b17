import { readBuffer } from '../../gpu/buffers.ts';
import type { Recorder } from '../../gpu/recorder.ts';
import { type Objective, REPORT_WORDS } from '../../objective/objective.ts';
import type { Sequence } from '../../policy/batch.ts';
import type { Policy } from '../../policy/policy.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { lossBuffers, lossExtent } from './lossArguments.ts';

/**
 * Gradients of a batch under any advantages, for looking at: the policy and its optimiser stay as they are.
 * What is differentiated is the mean of advantage · log π over the batch's policy tokens; at the policy that sampled
 * them this is the gradient of the clipped surrogate too.
 */
export class PolicyGradient {
  private readonly report: GPUBuffer;

  constructor(
    private readonly policy: Policy,
    private readonly objective: Objective,
    private readonly recorder: Recorder,
  ) {
    this.report = policy.buffers.storage('gradient report', REPORT_WORDS);
  }

  /**
   * @param advantage [turns of the forest] turns with 0 or NaN are left out
   * @returns [parameters] the direction that raises the mean; zeros where no turn has an advantage
   */
  async of(batch: RolloutBatch, advantage: ArrayLike<number>): Promise<Float32Array> {
    const { policy, objective, recorder, report } = this;
    const { workspace, optimizer } = policy;
    const sequences = batch.rollouts.map(({ tokens, turnOf, turns }): Sequence => {
      const weights = Float32Array.from(turnOf, (turn) =>
        turn < 0 ? 0 : (advantage[turns[turn].forestTurn] || 0) / batch.policyTokens,
      );
      return { tokens, weights, credits: turnOf, slot: 0 };
    });
    workspace.packer.clear();
    const minibatch = workspace.packer.add(sequences);
    if (minibatch.targets === 0) return new Float32Array(workspace.layout.size);
    workspace.uploadBatch();
    recorder.whole(() => {
      policy.recordForward(recorder, minibatch);
      objective.recordCrossEntropy(recorder, lossBuffers(workspace), lossExtent(minibatch), { report, line: 0 });
      policy.backward.record(recorder, policy.parameters, minibatch);
      optimizer.recordSum(recorder);
    });
    const descent = new Float32Array(await readBuffer(policy.gpu.device, optimizer.gradient, workspace.layout.size));
    return descent.map((slope) => -slope);
  }
}
