import { tokenAdvantage, tokenReturn, tokenValue } from '../../credit/gpu/batchArrays.ts';
import type { GpuCredit } from '../../credit/gpu/gpuCredit.ts';
import type { CreditRule } from '../../credit/rule.ts';
import { ReadbackRing, Stopwatch } from '../../gpu/buffers.ts';
import type { Recorder } from '../../gpu/recorder.ts';
import { type Objective, REPORT_LINE_SIZE, reportLine, tokenLine, ValueObjective } from '../../objective/objective.ts';
import type { Minibatch, Sequence } from '../../policy/batch.ts';
import type { Critic } from '../../policy/critic.ts';
import type { Policy } from '../../policy/policy.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import type { EngineOptions } from '../engine.ts';
import {
  alignCriticValues,
  type CreditPlan,
  creditCount,
  criticSettings,
  policySettings,
  type ReportLines,
  turnAdvantages,
  type UpdatePlan,
  type UpdateReport,
  type UsedCredit,
  usedCredit,
} from '../updatePlan.ts';
import { lossBuffers, lossExtent } from './passes.ts';

/** Read-backs of a recorded update. Call each once; each waits for the GPU. */
interface Readings {
  readonly report: () => Promise<ArrayBuffer>;
  readonly credit: () => Promise<UsedCredit>;
  readonly times: (() => Promise<readonly number[]>) | undefined;
}

/** Parts of an update whose GPU time is measured. */
const CREDIT = 0;
const OPTIMIZATION = 1;

/**
 * Recorder of updates. One submission has the credit, the reference pass, and for each minibatch forward pass, loss,
 * backward pass and optimizer. Under a token rule, the critic values the batch first and takes a step before each step
 * of the policy.
 */
export class Updater {
  private readonly layout: ReportLayout;
  private readonly report: GPUBuffer;
  private readonly reports: ReadbackRing;
  private readonly advantages: ReadbackRing;
  /** Loss of the critic, created with the first rule that has a critic. */
  private valueObjective: ValueObjective | undefined;
  /** Read-back of the critic's values, created at its first use. */
  private valued: ReadbackRing | undefined;
  private readonly stopwatch: Stopwatch | undefined;

  constructor(
    private readonly policy: Policy,
    private readonly recorder: Recorder,
    private readonly credit: GpuCredit,
    private readonly objective: Objective,
    private readonly options: Pick<EngineOptions, 'betas' | 'seed' | 'largest'>,
  ) {
    this.layout = new ReportLayout(options.largest.minibatches);
    const { reportLength } = this.layout;
    this.report = policy.buffers.storage('report', reportLength);
    this.reports = new ReadbackRing(policy.buffers, 'report', reportLength);
    this.stopwatch = Stopwatch.open(policy.gpu, policy.buffers);
    this.advantages = this.tokenRing('advantages');
  }

  /** Compiles the kernels of a rule's credit. Await it before `update`, `judge` and `values`. */
  async compile(rule: CreditRule): Promise<void> {
    const missing = rule.unit === 'token' && !this.valueObjective;
    const [opened] = await Promise.all([
      missing ? ValueObjective.create(this.policy.gpu) : undefined,
      this.credit.compile(rule),
    ]);
    this.valueObjective ??= opened;
  }

  /**
   * Records and submits an update.
   * @returns the report, which arrives when the GPU has finished; the caller need not await it
   */
  update(plan: UpdatePlan): Promise<UpdateReport> {
    const begin = performance.now();
    const critic = this.criticOf(plan) ?? this.policy.critic;
    critic?.begin(plan.rule.name);
    const readings = this.recordUpdate(plan, plan.critic && critic);
    if (plan.critic) critic?.learned();
    return this.readUpdate(plan, readings, performance.now() - begin);
  }

  /** Returns the critic of a plan; undefined under rules without a critic. */
  private criticOf({ critic }: CreditPlan): Critic | undefined {
    return critic && this.policy.openCritic(this.options.seed);
  }

  /** Records a plan as one submission. @param critic undefined under rules without a critic */
  private recordUpdate(plan: UpdatePlan, critic: Critic | undefined): Readings {
    const { policy, recorder, objective, layout, report, stopwatch } = this;
    const { batch, rule } = plan;
    const { reference, minibatches, valued, criticMinibatches } = this.pack(plan);
    return recorder.atomic(() => {
      stopwatch?.start(recorder, CREDIT);
      const advantage = this.recordCredit(plan, critic, valued);
      stopwatch?.start(recorder, OPTIMIZATION);
      policy.recordForward(recorder, reference, policy.reference);
      const { workspace } = policy;
      const slot = { report, line: layout.reference };
      objective.recordReference(recorder, lossBuffers(workspace), lossExtent(reference), slot);
      for (const [index, minibatch] of minibatches.entries()) {
        if (critic) this.criticStep(critic, criticMinibatches[index], plan, layout.critic(index));
        if (plan.learns) this.policyStep(minibatch, advantage, plan, layout.policy(index));
      }
      return {
        times: stopwatch?.stop(recorder),
        report: this.reports.record(recorder, report),
        credit: this.readCredit(batch, rule, advantage),
      };
    });
  }

  private async readUpdate(plan: UpdatePlan, readings: Readings, encodeMs: number): Promise<UpdateReport> {
    const [report, credit, times] = await Promise.all([readings.report(), readings.credit(), readings.times?.()]);
    const written = { minibatches: plan.minibatches.length, policy: plan.learns, critic: plan.critic !== undefined };
    return {
      ...this.layout.read(new Float32Array(report), written),
      credit,
      retained: plan.retained,
      parameterDigest: null,
      encodeMs,
      creditMs: finiteOrNull(times?.[CREDIT]),
      optimizeMs: finiteOrNull(times?.[OPTIMIZATION]),
    };
  }

  /** Packs the sequences of a plan and uploads them. */
  private pack({ reference, minibatches, critic }: Pick<UpdatePlan, 'reference' | 'minibatches' | 'critic'>) {
    const { workspace } = this.policy;
    const { packer } = workspace;
    packer.clear();
    const packAll = (parts: readonly (readonly Sequence[])[]) => parts.map((sequences) => packer.add(sequences));
    const first = packer.add(reference);
    const policyMinibatches = packAll(minibatches);
    const valued = critic && packer.add(critic.valued);
    // The critic's minibatches are packed separately only if their tokens differ from the policy's.
    const criticMinibatches =
      critic && critic.minibatches !== minibatches ? packAll(critic.minibatches) : policyMinibatches;
    workspace.uploadBatch();
    return { reference: first, minibatches: policyMinibatches, valued, criticMinibatches };
  }

  /** Packs and uploads only the sequences that a critic values. */
  private packValued({ critic }: CreditPlan): Minibatch | undefined {
    const { workspace } = this.policy;
    workspace.packer.clear();
    const valued = critic && workspace.packer.add(critic.valued);
    workspace.uploadBatch();
    return valued;
  }

  /** Computes the credit of a batch without training on it. */
  judge(plan: CreditPlan): Promise<UsedCredit> {
    const critic = this.criticOf(plan);
    const valued = critic && this.packValued(plan);
    const read = this.recorder.atomic(() => {
      const advantage = this.recordCredit(plan, critic, valued);
      return this.readCredit(plan.batch, plan.rule, advantage);
    });
    return read();
  }

  /** Computes the values of the critic at the tokens of a plan. @returns [policy tokens] */
  async values(plan: CreditPlan): Promise<Float32Array> {
    const { batch, rule } = plan;
    const [critic, valued] = [this.criticOf(plan), this.packValued(plan)];
    if (!critic || !valued) throw new Error(`the rule ${rule.name} has no critic`);
    const read = this.recorder.atomic(() => {
      this.credit.upload(batch.forest, [tokenValue]);
      this.recordValues(critic, valued);
      return this.readValues(creditCount(batch, rule));
    });
    return alignCriticValues(batch, rule, new Float32Array(await read()));
  }

  private recordValues(critic: Critic, valued: Minibatch): void {
    critic.recordValues(this.recorder, valued);
    const buffers = lossBuffers(this.policy.workspace);
    this.valueLoss.recordValues(this.recorder, buffers, this.credit.buffer(tokenValue), lossExtent(valued));
  }

  private readValues(count: number): () => Promise<ArrayBuffer> {
    this.valued ??= this.tokenRing('values');
    return this.valued.record(this.recorder, this.tokens.tokenValue, count);
  }

  /**
   * Records the rule over the batch, on the values of the critic if it has one. @returns the buffer of the advantages
   */
  private recordCredit(plan: CreditPlan, critic: Critic | undefined, valued: Minibatch | undefined): GPUBuffer {
    const { recorder, credit } = this;
    const { batch, rule, parameters, exact } = plan;
    credit.upload(batch.forest, critic ? [tokenValue] : []);
    if (critic && valued) this.recordValues(critic, valued);
    if (rule.given) credit.uploadAdvantages(turnAdvantages(batch, rule, exact));
    else {
      credit.record(recorder, rule, parameters);
      credit.recordBatch(recorder, rule);
    }
    if (!critic) return credit.advantage;
    const slot = { report: this.report, line: this.layout.tokens };
    this.valueLoss.recordNormalization(recorder, this.tokens, batch.policyTokens, slot);
    return this.tokens.tokenAdvantage;
  }

  private readCredit(batch: RolloutBatch, rule: CreditRule, advantage: GPUBuffer) {
    const count = creditCount(batch, rule);
    const read = this.advantages.record(this.recorder, advantage, count);
    if (rule.unit === 'turn') return async () => usedCredit(batch, rule, new Float32Array(await read()));
    const readValues = this.readValues(count);
    return async () => {
      const [advantages, values] = await Promise.all([read(), readValues()]);
      return usedCredit(batch, rule, new Float32Array(advantages), new Float32Array(values));
    };
  }

  /** Creates a read-back of at most one number per token. */
  private tokenRing(label: string): ReadbackRing {
    const { buffers, workspace, config } = this.policy;
    return new ReadbackRing(buffers, label, workspace.capacity.sequences * config.context);
  }

  private get valueLoss(): ValueObjective {
    if (!this.valueObjective) throw new Error('the rule has a critic and was not compiled: await prepare() first');
    return this.valueObjective;
  }

  private get tokens() {
    const [value, advantage, goal] = [tokenValue, tokenAdvantage, tokenReturn].map((array) =>
      this.credit.buffer(array),
    );
    return { tokenValue: value, tokenAdvantage: advantage, tokenReturn: goal };
  }

  private criticStep(critic: Critic, minibatch: Minibatch, plan: UpdatePlan, line: number): void {
    const { recorder, report, tokens, valueLoss } = this;
    const { valueClip, step } = criticSettings(plan, this.options.betas);
    const from = { buffers: lossBuffers(this.policy.workspace), tokens, extent: lossExtent(minibatch), valueClip };
    const loss = () => valueLoss.recordLoss(recorder, from, { report, line });
    critic.recordStep(recorder, minibatch, { loss, step, report, reportOffset: line * REPORT_LINE_SIZE });
  }

  private policyStep(minibatch: Minibatch, advantage: GPUBuffer, plan: UpdatePlan, line: number): void {
    const { policy, recorder, objective, report } = this;
    const { weights, shared, step } = policySettings(plan, this.options.betas);
    policy.recordForward(recorder, minibatch);
    const loss = { buffers: lossBuffers(policy.workspace), advantage, extent: lossExtent(minibatch), weights, shared };
    objective.recordSurrogate(recorder, loss, { report, line });
    policy.backward.record(recorder, policy.parameters, minibatch);
    policy.optimizer.record(recorder, policy.parameters, step, report, line * REPORT_LINE_SIZE);
  }
}

function finiteOrNull(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

/** Lines of a report that an update wrote. */
export interface WrittenLines {
  /** Number of minibatches of the update over all epochs. */
  readonly minibatches: number;
  /** True if the policy took its steps. */
  readonly policy: boolean;
  /** True if the critic took its steps and the advantages of tokens were normalised. */
  readonly critic: boolean;
}

/**
 * Line numbers of an update's report. Each line has REPORT_LINE_SIZE words. The reference pass is first. One line per
 * minibatch of the policy and one per minibatch of the critic follow. The normalisation of token advantages is last.
 */
export class ReportLayout {
  readonly reference = 0;

  /** @param minibatchLimit maximum number of minibatches of an update over all epochs */
  constructor(private readonly minibatchLimit: number) {}

  /** Returns the line of the policy's step on a minibatch. @param index from 0, over all epochs */
  policy(index: number): number {
    return this.reference + 1 + this.within(index);
  }

  /** Returns the line of the critic's step on a minibatch. @param index from 0, over all epochs */
  critic(index: number): number {
    return this.reference + 1 + this.minibatchLimit + this.within(index);
  }

  /** Line of the normalisation of token advantages (TokenLine). */
  get tokens(): number {
    return this.reference + 1 + 2 * this.minibatchLimit;
  }

  /** Length of the report [32-bit words]. */
  get reportLength(): number {
    return (this.tokens + 1) * REPORT_LINE_SIZE;
  }

  /** Reads a report. Lines that the update did not write contain results of an earlier update and are omitted. */
  read(report: Float32Array, { minibatches, policy, critic }: WrittenLines): ReportLines {
    const lines = (lineOf: (index: number) => number) =>
      Array.from({ length: minibatches }, (_, index) => reportLine(report, lineOf(index)));
    const ofCritic = () => ({
      ...tokenLine(report, this.tokens),
      minibatches: lines((index) => this.critic(index)),
    });
    return {
      reference: reportLine(report, this.reference),
      minibatches: policy ? lines((index) => this.policy(index)) : [],
      ...(critic ? { critic: ofCritic() } : {}),
    };
  }

  private within(index: number): number {
    if (index < this.minibatchLimit) return index;
    throw new RangeError(
      `minibatch ${index} does not exist: the report has room for ${this.minibatchLimit} minibatches`,
    );
  }
}
