import type { CreditRule } from '../../credit/rule.ts';
import { parameterDigest } from '../../policy/checkpoint.ts';
import type {
  Engine,
  EngineCapacity,
  EngineDevice,
  EngineOptions,
  SampledSequence,
  TrainedValueNetwork,
  ValueNetwork,
} from '../engine.ts';
import type {
  AdamWStep,
  Continuation,
  Generated,
  PolicyConfiguration,
  PolicyState,
  ReportLine,
  SamplingSettings,
  Sequence,
} from '../shared.ts';
import {
  alignCriticValues,
  type CreditPlan,
  criticSettings,
  policySettings,
  turnAdvantages,
  type UpdatePlan,
  type UpdateReport,
  type UsedCredit,
  usedCredit,
} from '../updatePlan.ts';
import { ExactCritic, type TokenCredit, tokenCredit, trainedValueNetwork, valueNetwork } from './critic.ts';
import { ExactGenerator } from './generator.ts';
import type { Kernels } from './kernels.ts';
import type { Health } from './learner.ts';
import { criticLoss, crossEntropy, emptySums, type Recorded, recordReference, surrogateLoss } from './losses.ts';
import { Parameters } from './parameters.ts';
import { CRITIC, LOG_PROBABILITY, Passes, POLICY, rest, Trained, VALUE, withValueHead } from './passes.ts';
import { Arena, Space } from './space.ts';

/** Credit of an update, and the inputs of its losses. */
interface CreditResult {
  /** Advantages, indexed by the credits of the policy's targets. */
  readonly advantage: Float32Array;
  readonly used: UsedCredit;
  readonly critic?: TokenCredit & { readonly values: Float32Array };
}

/** Training on one CPU thread, with the same bits on all machines (docs/develop/decisions/025-exact-engine.md). */
export class ExactEngine implements Engine {
  readonly config: PolicyConfiguration;
  readonly capacity: EngineCapacity;
  private readonly space: Space;
  private readonly passes: Passes;
  private readonly policy: Trained;
  private readonly reference: Parameters;
  private readonly generator: ExactGenerator;
  private readonly recorded: Recorded;
  private readonly health: Health = { finite: true };
  private critic: ExactCritic | undefined;
  /** Steps of policy and critic after all calls so far. */
  steps = { policy: 0, critic: 0 };
  /** Number of calls that have not taken effect. */
  private queued = 0;
  /** Promise that resolves when all earlier calls have ended. */
  private working: Promise<unknown> = Promise.resolve();

  /** Allocates all memory except the critic's. @throws {OutOfMemoryError} if the memory is too small */
  constructor(
    readonly device: EngineDevice,
    kernels: Kernels,
    private readonly options: EngineOptions,
  ) {
    const { config, capacity, turnLengths } = options;
    this.config = config;
    this.capacity = capacity;
    const arena = new Arena(kernels);
    this.space = new Space(arena, config, capacity.sequences);
    this.passes = new Passes(this.space);
    this.policy = new Trained(arena, config, this.health);
    this.reference = new Parameters(arena, config);
    const slots = capacity.sequences * config.context;
    this.recorded = { sampled: new Float32Array(slots), reference: new Float32Array(slots) };
    const { network } = this.passes;
    this.generator = new ExactGenerator(this.space, network, this.recorded, capacity.sequences, turnLengths);
  }

  /** Layout of the tensors in the flat parameters. */
  get layout() {
    return this.policy.layout;
  }

  get table(): Uint32Array {
    return this.generator.table;
  }

  turn(continuations: readonly Continuation[], settings: SamplingSettings): Promise<Generated> {
    return this.next(async () => {
      const generated = this.generator.turn(this.policy.parameters, continuations, settings);
      await rest();
      return generated;
    });
  }

  /** Does nothing: no kernels are compiled for a rule. */
  async prepare(): Promise<void> {}

  criticUpdates({ name }: CreditRule): number {
    return this.critic?.updatesUnder(name) ?? 0;
  }

  update(plan: UpdatePlan): Promise<UpdateReport> {
    const { minibatches: parts } = plan;
    this.expect(plan.learns ? parts.length : 0, plan.critic ? parts.length : 0);
    return this.next(async () => {
      const begin = performance.now();
      const critic = plan.critic ? this.openCritic() : this.critic;
      critic?.begin(plan.rule.name);
      const credit = this.credit(plan, critic);
      const credits = performance.now();
      const reference = emptySums();
      this.passes.infer(this.reference, plan.reference, POLICY, (piece) => {
        recordReference(this.space, piece, this.recorded, reference);
      });
      const minibatches: ReportLine[] = [];
      const criticLines: ReportLine[] = [];
      for (const [index, minibatch] of plan.minibatches.entries()) {
        await rest();
        if (critic && plan.critic) {
          criticLines.push(this.criticStep(critic, plan.critic.minibatches[index], plan, credit));
        }
        if (plan.learns) minibatches.push(this.policyStep(minibatch, plan, credit.advantage));
      }
      if (plan.critic) critic?.learned();
      const networks = critic ? [this.policy, critic] : [this.policy];
      return {
        reference,
        minibatches,
        ...(credit.critic ? { critic: { ...credit.critic.line, minibatches: criticLines } } : {}),
        credit: credit.used,
        retained: plan.retained,
        parameterDigest: parameterDigest(...networks.map(({ parameters }) => parameters.view())),
        // No commands are recorded, because the CPU computes immediately.
        encodeMs: 0,
        creditMs: credits - begin,
        optimizeMs: performance.now() - credits,
      };
    });
  }

  judge(plan: CreditPlan): Promise<UsedCredit> {
    return this.next(() => this.credit(plan, plan.critic && this.openCritic()).used);
  }

  values({ batch, rule, critic }: CreditPlan): Promise<Float32Array> {
    return this.next(() => {
      if (!critic) throw new Error(`the rule ${rule.name} has no critic`);
      return alignCriticValues(batch, rule, this.criticValues(this.openCritic(), critic.valued, batch.policyTokens));
    });
  }

  logProbabilities(sequences: readonly Sequence[]): Promise<Float32Array> {
    return this.next(() => this.passes.outputs(this.policy.parameters, sequences, POLICY, LOG_PROBABILITY));
  }

  recordSampled(sequences: readonly SampledSequence[]): void {
    this.nextUnheard(() => {
      for (const { sequence, logProb } of sequences) {
        const slot = sequence * this.config.context;
        for (let at = 0; at < logProb.length; at++) {
          this.recorded.sampled[slot + at] = this.recorded.reference[slot + at] = logProb[at];
        }
      }
    });
  }

  gradient(sequences: readonly Sequence[]): Promise<Float32Array> {
    return this.next(() => {
      this.passes.gradient(this.policy, sequences, POLICY, (piece, sums) => crossEntropy(this.space, piece, sums));
      return this.policy.learner.readGradient().map((slope) => -slope);
    });
  }

  imitate(minibatch: readonly Sequence[], step: AdamWStep): Promise<ReportLine> {
    this.expect(1, 0);
    return this.next(async () => {
      await rest();
      return this.passes.learn(
        ...([this.policy, minibatch, POLICY] as const),
        (piece, sums) => crossEntropy(this.space, piece, sums),
        step,
      );
    });
  }

  crossEntropy(sequences: readonly Sequence[]): Promise<number> {
    return this.next(() => {
      const sums = emptySums();
      this.passes.infer(this.policy.parameters, sequences, POLICY, (piece) => crossEntropy(this.space, piece, sums));
      return sums.loss;
    });
  }

  resetMoments(): void {
    this.steps = { ...this.steps, policy: 0 };
    this.nextUnheard(() => this.policy.learner.reset());
  }

  openValueNetwork(parameters: Float32Array): ValueNetwork {
    const network = new Parameters(this.space.arena, withValueHead(this.config));
    this.nextUnheard(() => network.write(parameters));
    return valueNetwork(network, this.passes, (work) => this.next(work));
  }

  trainValueNetwork(seed: number): Promise<TrainedValueNetwork> {
    return this.next(() => {
      const network = new ExactCritic(this.space, this.health);
      network.start(this.policy.parameters, seed);
      return trainedValueNetwork(network, this.passes, (work) => this.next(work));
    });
  }

  readState(): Promise<PolicyState> {
    return this.next(() => {
      const state = { ...this.policy.read(), reference: this.reference.read() };
      return this.critic ? { ...state, critic: this.critic.readState() } : state;
    });
  }

  writeState(state: PolicyState): void {
    const { parameters, reference, firstMoment, secondMoment, steps, critic } = state;
    const { size } = this.layout;
    for (const array of [parameters, reference, firstMoment, secondMoment]) {
      if (array.length < size) throw new RangeError(`the state has ${array.length} numbers, the policy has ${size}`);
    }
    this.steps = { policy: steps, critic: critic?.steps ?? 0 };
    this.nextUnheard(() => {
      this.policy.parameters.write(parameters);
      this.reference.write(reference);
      this.policy.learner.write(firstMoment, secondMoment, steps);
      this.health.finite = true;
      if (critic) {
        this.critic ??= new ExactCritic(this.space, this.health);
        this.critic.writeState(critic);
      } else this.dropCritic();
    });
  }

  start(parameters: Float32Array): void {
    const zeros = new Float32Array(this.layout.size);
    this.writeState({ parameters, reference: parameters, firstMoment: zeros, secondMoment: zeros, steps: 0 });
  }

  destroy(): void {
    this.nextUnheard(() => this.dropCritic());
  }

  /**
   * Runs work after all earlier calls. An update rests between minibatches, and other calls may arrive during a rest.
   */
  private next<T>(work: () => T | Promise<T>): Promise<T> {
    this.queued++;
    const done = this.working.then(work).finally(() => {
      if (--this.queued > 0) return;
      // Steps after a number that is not finite are not taken.
      this.steps = { policy: this.policy.learner.steps, critic: this.critic?.learner.steps ?? 0 };
    });
    this.working = done.catch(() => {});
    return done;
  }

  private expect(policy: number, critic: number): void {
    this.steps = { policy: this.steps.policy + policy, critic: this.steps.critic + critic };
  }

  private nextUnheard(work: () => void): void {
    void this.next(work);
  }

  private credit(
    { batch, rule, parameters, exact, critic: plan }: CreditPlan,
    critic: ExactCritic | undefined,
  ): CreditResult {
    if (!critic || !plan) {
      const advantage = turnAdvantages(batch, rule, exact);
      return { advantage, used: usedCredit(batch, rule, advantage) };
    }
    const values = this.criticValues(critic, plan.valued, batch.policyTokens);
    const tokens = tokenCredit(batch, rule, parameters, values);
    const used = usedCredit(batch, rule, tokens.advantages, values);
    return { advantage: tokens.advantages, used, critic: { ...tokens, values } };
  }

  /**
   * Returns the critic's values [policy tokens], indexed by the credits of its targets; 0 for tokens that it does not
   * value.
   */
  private criticValues(critic: ExactCritic, valued: readonly Sequence[], count: number): Float32Array {
    const values = new Float32Array(count);
    const { arena, outputs } = this.space;
    this.passes.infer(critic.parameters, valued, CRITIC, ({ targets, credits }) => {
      for (let i = 0; i < targets; i++) values[credits[i]] = arena.f32[outputs / 4 + 4 * i + VALUE];
    });
    return values;
  }

  private policyStep(minibatch: readonly Sequence[], plan: UpdatePlan, advantage: Float32Array) {
    const { weights, shared, step } = policySettings(plan, this.options.betas);
    return this.passes.learn(
      ...([this.policy, minibatch, POLICY] as const),
      (piece, sums) => surrogateLoss(this.space, piece, this.recorded, advantage, weights, shared, sums),
      step,
    );
  }

  private criticStep(
    critic: ExactCritic,
    minibatch: readonly Sequence[],
    plan: UpdatePlan,
    { critic: targets }: CreditResult,
  ): ReportLine {
    const { valueClip, step } = criticSettings(plan, this.options.betas);
    if (!targets) throw new Error('there is no credit of tokens to learn values from');
    return this.passes.learn(
      ...([critic, minibatch, CRITIC] as const),
      (piece, sums) => criticLoss(this.space, piece, targets, valueClip, sums),
      step,
    );
  }

  /** Returns the critic. Until its first training step, it starts from the current trunk of the policy. */
  private openCritic(): ExactCritic {
    this.critic ??= new ExactCritic(this.space, this.health);
    if (this.critic.learner.steps === 0) this.critic.start(this.policy.parameters, this.options.seed);
    return this.critic;
  }

  private dropCritic(): void {
    this.critic?.destroy();
    this.critic = undefined;
  }
}
