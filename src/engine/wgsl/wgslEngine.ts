import { GpuCredit } from '../../credit/gpu/gpuCredit.ts';
import type { CreditRule } from '../../credit/rule.ts';
import { ReadbackRing } from '../../gpu/buffers.ts';
import type { Gpu } from '../../gpu/device.ts';
import { Recorder } from '../../gpu/recorder.ts';
import { Objective, PreferenceObjective, REPORT_LINE_SIZE, reportLine } from '../../objective/objective.ts';
import type { Minibatch } from '../../policy/batch.ts';
import { Critic, ValueNetwork as PolicyValueNetwork } from '../../policy/critic.ts';
import { Generator } from '../../policy/generator.ts';
import { matrixTiles, policyKernels } from '../../policy/kernels.ts';
import { Policy } from '../../policy/policy.ts';
import { standardPolicy } from '../../policy/weights.ts';
import type {
  Engine,
  EngineCapacity,
  EngineDevice,
  EngineOptions,
  SampledSequence,
  TrainedValueNetwork,
  ValueNetwork,
  ValueNetworkState,
} from '../engine.ts';
import { WGSL } from '../engineName.ts';
import {
  type AdamWStep,
  type Continuation,
  type Generated,
  OutOfMemoryError,
  type PolicyConfiguration,
  type PolicyState,
  type ReportLine,
  type SamplingSettings,
  type Sequence,
} from '../shared.ts';
import type { CreditPlan, UpdatePlan, UpdateReport, UsedCredit } from '../updatePlan.ts';
import { CrossEntropy, LOG_PROBABILITY, lossBuffers, lossExtent, packed, targetPass, VALUE } from './passes.ts';
import { Updater } from './updater.ts';

/**
 * Number of dispatches per submission. Four epochs of eight minibatches of a three-layer policy and its critic have
 * about 6,000.
 */
const SLOTS = 8192;
/** Maximum number of unit tests of a task (readTasks). A result word holds 32 turns of one test. */
const MAX_TESTS = 64;

/** Engine in WebGPU: shaders/policy, shaders/objective, shaders/credit. */
export class WgslEngine implements Engine {
  readonly capacity: EngineCapacity;
  private readonly generator: Generator;
  private readonly updater: Updater;
  private readonly entropy: CrossEntropy;
  /** Open value networks. They are destroyed with the engine. */
  private readonly networks = new Set<ValueNetwork>();

  private constructor(
    readonly device: EngineDevice,
    readonly policy: Policy,
    readonly recorder: Recorder,
    objective: Objective,
    credit: GpuCredit,
    options: EngineOptions,
  ) {
    const { capacity, rowCapacity } = policy.workspace;
    this.capacity = { sequences: capacity.sequences, rows: rowCapacity };
    this.generator = new Generator(policy, options.turnLengths);
    this.updater = new Updater(policy, recorder, credit, objective, options);
    this.entropy = new CrossEntropy(policy, recorder, objective);
  }

  /** Creates all buffers of a run and compiles its kernels, except the kernels of credit rules (`prepare`). */
  static async create(device: EngineDevice, gpu: Gpu, options: EngineOptions): Promise<WgslEngine> {
    const { config, maxTurns, rules } = options;
    const { sequences, rows } = options.capacity;
    const { epochs, minibatches } = options.largest;
    // Uploads of one update: the sequences of policy and critic in each epoch, the reference pass, and the values of
    // the critic.
    const capacity = { sequences, rows, uploadedRows: (2 * epochs + 2) * rows, minibatches: 2 * minibatches + 2 };
    const [policy, objective] = await Promise.all([Policy.create(gpu, config, capacity), Objective.create(gpu)]);
    const creditCapacity = {
      turns: sequences * maxTurns,
      trajectories: sequences,
      groups: sequences,
      tokens: sequences * config.context,
      tests: sequences * MAX_TESTS,
      results: sequences * (maxTurns + MAX_TESTS),
    };
    const credit = await GpuCredit.create(gpu, policy.buffers, creditCapacity, rules, []);
    return new WgslEngine(device, policy, new Recorder(gpu.device, SLOTS), objective, credit, options);
  }

  get config(): PolicyConfiguration {
    return this.policy.config;
  }

  get table(): Uint32Array {
    return this.generator.table;
  }

  get steps() {
    const { optimizer, critic } = this.policy;
    return { policy: optimizer.steps, critic: critic?.optimizer.steps ?? 0 };
  }

  turn(continuations: readonly Continuation[], settings: SamplingSettings): Promise<Generated> {
    return this.generator.turn(this.recorder, continuations, settings);
  }

  prepare(rule: CreditRule): Promise<void> {
    return this.updater.compile(rule);
  }

  criticUpdates({ name }: CreditRule): number {
    return this.policy.critic?.updatesUnder(name) ?? 0;
  }

  update(plan: UpdatePlan): Promise<UpdateReport> {
    return this.updater.update(plan);
  }

  judge(plan: CreditPlan): Promise<UsedCredit> {
    return this.updater.judge(plan);
  }

  values(plan: CreditPlan): Promise<Float32Array> {
    return this.updater.values(plan);
  }

  logProbabilities(sequences: readonly Sequence[]): Promise<Float32Array> {
    const { policy, recorder } = this;
    const record = (minibatch: Minibatch) => policy.recordForward(recorder, minibatch);
    return targetPass(policy, recorder, sequences, record, LOG_PROBABILITY);
  }

  recordSampled(sequences: readonly SampledSequence[]): void {
    this.policy.workspace.recordSampled(sequences);
  }

  gradient(sequences: readonly Sequence[]): Promise<Float32Array> {
    return this.entropy.gradient(sequences);
  }

  imitate(minibatch: readonly Sequence[], step: AdamWStep): Promise<ReportLine> {
    return this.entropy.learn(minibatch, step);
  }

  async crossEntropy(sequences: readonly Sequence[]): Promise<number> {
    return (await this.entropy.learn(sequences)).loss;
  }

  resetMoments(): void {
    this.policy.optimizer.reset();
  }

  openValueNetwork(parameters: Float32Array): ValueNetwork {
    return this.registered(WgslValueNetwork.open(this.policy, this.recorder, parameters));
  }

  async trainValueNetwork(seed: number): Promise<TrainedValueNetwork> {
    return this.registered(await WgslTrainedValueNetwork.create(this.policy, this.recorder, seed));
  }

  readState(): Promise<PolicyState> {
    return this.policy.readState();
  }

  writeState(state: PolicyState): void {
    this.policy.writeState(state);
  }

  start(parameters: Float32Array): void {
    this.policy.start(parameters);
  }

  destroy(): void {
    this.recorder.destroy();
    for (const network of this.networks) network.destroy();
    this.policy.destroy();
  }

  private registered<Network extends ValueNetwork>(network: Network): Network {
    this.networks.add(network);
    return network;
  }
}

/** WebGPU device on which engines run. */
export class WgslDevice implements EngineDevice {
  readonly engine = WGSL;
  readonly name: string;
  readonly software: boolean;
  readonly lost: Promise<string>;

  constructor(readonly gpu: Gpu) {
    this.name = gpu.name;
    this.software = gpu.software;
    this.lost = gpu.lost.then(({ message, reason }) => message || reason);
  }

  createEngine(options: EngineOptions): Promise<WgslEngine> {
    return WgslEngine.create(this, this.gpu, options);
  }

  async compileAhead(): Promise<void> {
    // No kernel has vocabulary or context as a constant.
    const kernels = policyKernels(this.gpu, standardPolicy(1, 1), matrixTiles(this.gpu));
    await Promise.all([kernels, Objective.create(this.gpu)]);
  }

  async allocate<Result extends { destroy(): void }>(work: () => Promise<Result>): Promise<Result> {
    const { device } = this.gpu;
    device.pushErrorScope('out-of-memory');
    let result: Result;
    try {
      result = await work();
    } catch (error) {
      await device.popErrorScope();
      throw error;
    }
    const short = await device.popErrorScope();
    if (!short) return result;
    result.destroy();
    throw new OutOfMemoryError(short.message);
  }

  readError(): string | undefined {
    return this.gpu.readError();
  }

  destroy(): void {
    this.gpu.device.destroy();
  }
}

/** Number of read-backs in flight: the training of a reward model awaits a step after it records the next step. */
const DEPTH = 3;

/** Value network that uses the buffers of a policy. */
class WgslValueNetwork<Network extends PolicyValueNetwork = PolicyValueNetwork> implements ValueNetwork {
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
class WgslTrainedValueNetwork extends WgslValueNetwork<Critic> implements TrainedValueNetwork {
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
