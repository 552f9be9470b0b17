import { ReadbackRing } from '../../gpu/buffers.ts';
import type { Recorder } from '../../gpu/recorder.ts';
import { PreferenceObjective, REPORT_LINE_SIZE, reportLine } from '../../objective/objective.ts';
import { Critic, ValueNetwork as PolicyValueNetwork } from '../../policy/critic.ts';
import type { Policy } from '../../policy/policy.ts';
import type { TrainedValueNetwork, ValueNetwork, ValueNetworkState } from '../engine.ts';
import type { AdamWStep, ReportLine, Sequence } from '../shared.ts';
import { lossBuffers, lossExtent, packed, targetPass, VALUE } from './passes.ts';

/** Number of read-backs in flight: the training of a reward model awaits a step after it records the next step. */
const DEPTH = 3;

/** Value network that uses the buffers of a policy. */
export class WgslValueNetwork<Network extends PolicyValueNetwork = PolicyValueNetwork> implements ValueNetwork {
  constructor(
    protected readonly policy: Policy,
    protected readonly recorder: Recorder,
    protected readonly network: Network,
  ) {}

  static open(policy: Policy, recorder: Recorder, parameters: Float32Array): WgslValueNetwork {
    const { gpu, workspace, kernels } = policy;
    const network = new PolicyValueNetwork(gpu, workspace, kernels, 'reward model');
    network.load(parameters);
    return new WgslValueNetwork(policy, recorder, network);
  }

  values(sequences: readonly Sequence[]): Promise<Float32Array> {
    const { policy, recorder, network } = this;
    return targetPass(policy, recorder, sequences, (minibatch) => network.recordValues(recorder, minibatch), VALUE);
  }

  destroy(): void {
    this.network.destroy();
  }
}

/** Value network that is trained on pairs, with an optimizer. */
export class WgslTrainedValueNetwork extends WgslValueNetwork<Critic> implements TrainedValueNetwork {
  private constructor(
    policy: Policy,
    recorder: Recorder,
    network: Critic,
    private readonly objective: PreferenceObjective,
    private readonly report: GPUBuffer,
    private readonly ring: ReadbackRing,
  ) {
    super(policy, recorder, network);
  }

  static async create(policy: Policy, recorder: Recorder, seed: number): Promise<WgslTrainedValueNetwork> {
    const { gpu, workspace, kernels, optimizer, buffers } = policy;
    const objective = await PreferenceObjective.create(gpu);
    const network = new Critic(gpu, workspace, kernels, optimizer.health);
    network.start(policy.parameters, seed);
    const report = buffers.storage('preference report', REPORT_LINE_SIZE);
    const ring = new ReadbackRing(buffers, 'preference report', REPORT_LINE_SIZE, DEPTH);
    return new WgslTrainedValueNetwork(policy, recorder, network, objective, report, ring);
  }

  get steps(): number {
    return this.network.optimizer.steps;
  }

  async step(pairs: readonly Sequence[], step: AdamWStep): Promise<ReportLine> {
    const { policy, recorder, network, objective, report } = this;
    const read = recorder.atomic(() => {
      const minibatch = packed(policy, pairs);
      const loss = () =>
        objective.recordLoss(recorder, lossBuffers(policy.workspace), lossExtent(minibatch), { report, line: 0 });
      network.recordStep(recorder, minibatch, { loss, step, report, reportOffset: 0 });
      return this.ring.record(recorder, report);
    });
    return reportLine(new Float32Array(await read()), 0);
  }

  readState(): Promise<ValueNetworkState> {
    return this.network.readState();
  }

  writeState(state: ValueNetworkState): void {
    this.network.writeState({ ...state, rule: '', updates: 0 });
  }
}
