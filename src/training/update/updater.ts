import { tokenAdvantage, tokenReturn, tokenValue } from '../../credit/gpu/batchArrays.ts';
import type { GpuCredit } from '../../credit/gpu/gpuCredit.ts';
import type { CreditRule } from '../../credit/rule.ts';
import { findRule } from '../../credit/rules.ts';
import { ReadbackRing } from '../../gpu/readbackRing.ts';
import type { Recorder } from '../../gpu/recorder.ts';
import { Stopwatch } from '../../gpu/stopwatch.ts';
import { type Objective, REPORT_WORDS } from '../../objective/objective.ts';
import { ValueObjective } from '../../objective/valueObjective.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Minibatch, Sequence } from '../../policy/batch.ts';
import type { Critic } from '../../policy/critic.ts';
import type { Policy } from '../../policy/policy.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import type { ExactCredit } from './exactCredit.ts';
import { lossBuffers, lossExtent } from './lossArguments.ts';
import { MOST_MINIBATCHES, planUpdate, type UpdatePlan, valuedSequences } from './planUpdate.ts';
import { ReportLayout, type ReportLines } from './reportLayout.ts';
import { creditCount, givenAdvantages, shownValues, type UsedCredit, usedCredit } from './tokenAdvantages.ts';
import { adamwStep, learningRate, objectiveWeights, sharesRatios, valueClipOf } from './updateSettings.ts';

/** What an update reports once the GPU has done it. */
export interface UpdateReport extends ReportLines {
  readonly credit: UsedCredit;
  /** Share of the batch's turns that were trained on. */
  readonly retained: number;
  /** Milliseconds that the CPU took to record the update. */
  readonly encodeMs: number;
  /** Milliseconds of the GPU for credit, the critic's values included, and for all that follows; null without timestamps. */
  readonly creditMs: number | null;
  readonly optimizeMs: number | null;
}

/** What comes back of an update that was recorded; each is to be called once, and waits for the GPU. */
interface Readings {
  readonly report: () => Promise<ArrayBuffer>;
  readonly credit: () => Promise<UsedCredit>;
  readonly times: (() => Promise<readonly number[]>) | undefined;
}

/** Parts of an update that the GPU's time is taken of. */
const CREDIT = 0;
const OPTIMIZATION = 1;

/**
 * One update: credit, reference pass, and for each minibatch forward, loss, backward and optimiser, all one submission.
 * Under a token rule the critic values the batch first, and takes a step of its own before each of the policy's.
 */
export class Updater {
  private readonly layout = new ReportLayout(MOST_MINIBATCHES);
  private readonly report: GPUBuffer;
  private readonly reports: ReadbackRing;
  private readonly advantages: ReadbackRing;
  /** Both made with the first rule that has a critic: what it needs around its passes, and its values. */
  private valueObjective: ValueObjective | undefined;
  private valued: ReadbackRing | undefined;
  private readonly stopwatch: Stopwatch | undefined;

  constructor(
    private readonly policy: Policy,
    private readonly credit: GpuCredit,
    private readonly objective: Objective,
    private readonly betas: readonly [number, number],
  ) {
    const { words } = this.layout;
    this.report = policy.buffers.storage('report', words);
    this.reports = new ReadbackRing(policy.buffers, 'report', words);
    this.stopwatch = Stopwatch.open(policy.gpu, policy.buffers);
    this.advantages = this.tokenRing('advantages');
  }

  /** Compiles what the credit of the rule in force needs, once a rule; to be awaited before `update` and `judge`. */
  async compile({ rule: name }: ParameterValues): Promise<void> {
    const rule = findRule(name as string);
    const missing = rule.unit === 'token' && !this.valueObjective;
    const [opened] = await Promise.all([
      missing ? ValueObjective.create(this.policy.gpu) : undefined,
      this.credit.compile(rule),
    ]);
    this.valueObjective ??= opened;
  }

  /**
   * Plans, records and submits the update of a batch.
   * @param controls rule, its parameters, and TRAINING_CONTROLS
   * @param exact of the batch under these controls
   * @param seed of the order of rollouts, and of a new critic's value head
   * @returns the report, which arrives when the GPU is done; the caller need not wait for it
   */
  update(
    recorder: Recorder,
    batch: RolloutBatch,
    controls: ParameterValues,
    exact: ExactCredit,
    seed: number,
  ): Promise<UpdateReport> {
    const begin = performance.now();
    const { policy } = this;
    const rule = findRule(controls.rule as string);
    const critic = rule.unit === 'token' ? policy.openCritic(seed) : policy.critic;
    critic?.begin(rule.name);
    const { context } = policy.config;
    const plan = planUpdate(batch, controls, exact, { seed, context, criticUpdates: critic?.updates ?? 0 });
    const readings = this.recordUpdate(recorder, plan, plan.critic && critic);
    if (plan.critic) critic?.learned();
    return this.readUpdate(plan, readings, performance.now() - begin);
  }

  /** Records what a plan says, as one submission. @param critic of a token rule */
  private recordUpdate(recorder: Recorder, plan: UpdatePlan, critic: Critic | undefined): Readings {
    const { policy, objective, layout, report, stopwatch } = this;
    const { batch, controls, rule, parameters, given } = plan;
    const { reference, minibatches, valued, lessons } = this.pack(plan);
    return recorder.whole(() => {
      stopwatch?.start(recorder, CREDIT);
      const advantage = this.recordCredit(recorder, batch, { rule, parameters, given }, critic, valued);
      stopwatch?.start(recorder, OPTIMIZATION);
      policy.recordForward(recorder, reference, policy.reference);
      const { workspace } = policy;
      const place = { report, line: layout.reference };
      objective.recordReference(recorder, lossBuffers(workspace), lossExtent(reference), place);
      for (const [index, minibatch] of minibatches.entries()) {
        if (critic) this.criticStep(recorder, critic, lessons[index], controls, layout.critic(index));
        if (plan.learns) this.policyStep(recorder, minibatch, advantage, plan, layout.policy(index));
      }
      return {
        times: stopwatch?.stop(recorder),
        report: this.reports.record(recorder, report),
        credit: this.readCredit(recorder, batch, rule, advantage),
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
    const own = packAll(minibatches);
    const valued = critic && packer.add(critic.valued);
    // What the critic learns from is packed once more only where it is other tokens than the policy's.
    const lessons = critic && critic.minibatches !== minibatches ? packAll(critic.minibatches) : own;
    workspace.uploadBatch();
    return { reference: first, minibatches: own, valued, lessons };
  }

  /** Packs and uploads nothing but what a critic is asked of a batch. */
  private packValued(batch: RolloutBatch, rule: CreditRule): Minibatch {
    const { workspace, config } = this.policy;
    workspace.packer.clear();
    const valued = workspace.packer.add(valuedSequences(batch, rule, config.context));
    workspace.uploadBatch();
    return valued;
  }

  /** What the rule says about a batch that nothing is learned from; waits for the GPU. */
  judge(
    recorder: Recorder,
    batch: RolloutBatch,
    controls: ParameterValues,
    exact: ExactCredit,
    seed: number,
  ): Promise<UsedCredit> {
    const rule = findRule(controls.rule as string);
    const critic = rule.unit === 'token' ? this.policy.openCritic(seed) : undefined;
    const valued = critic && this.packValued(batch, rule);
    const read = recorder.whole(() => {
      const ruled = { rule, parameters: exact.parametersOf(rule), given: givenAdvantages(batch, rule, exact) };
      const advantage = this.recordCredit(recorder, batch, ruled, critic, valued);
      return this.readCredit(recorder, batch, rule, advantage);
    });
    return read();
  }

  /**
   * What the critic, as it stands, says of a batch, of trees too, before the tokens that a rule asks it at; waits for the GPU.
   * @returns [policy tokens]
   */
  async criticValues(recorder: Recorder, batch: RolloutBatch, rule: CreditRule, seed: number): Promise<Float32Array> {
    const critic = this.policy.openCritic(seed);
    const valued = this.packValued(batch, rule);
    const read = recorder.whole(() => {
      this.credit.upload(batch.forest, [tokenValue]);
      this.recordValues(recorder, critic, valued);
      return this.readValues(recorder, creditCount(batch, rule));
    });
    return shownValues(batch, rule, new Float32Array(await read()));
  }

  private recordValues(recorder: Recorder, critic: Critic, valued: Minibatch): void {
    critic.recordValues(recorder, valued);
    const buffers = lossBuffers(this.policy.workspace);
    this.values.recordValues(recorder, buffers, this.credit.buffer(tokenValue), lossExtent(valued));
  }

  private readValues(recorder: Recorder, count: number): () => Promise<ArrayBuffer> {
    this.valued ??= this.tokenRing('values');
    return this.valued.record(recorder, this.tokens.tokenValue, count);
  }

  /** Records the rule over the batch, on the critic's values where it has one; returns the advantages to be used. */
  private recordCredit(
    recorder: Recorder,
    batch: RolloutBatch,
    { rule, parameters, given }: Pick<UpdatePlan, 'rule' | 'parameters' | 'given'>,
    critic: Critic | undefined,
    valued: Minibatch | undefined,
  ): GPUBuffer {
    const { credit } = this;
    credit.upload(batch.forest, critic ? [tokenValue] : []);
    if (critic && valued) this.recordValues(recorder, critic, valued);
    if (given) credit.give(given);
    else credit.record(recorder, rule, parameters);
    if (!critic) return credit.advantage;
    const place = { report: this.report, line: this.layout.tokens };
    this.values.recordNormalization(recorder, this.tokens, batch.policyTokens, place);
    return this.tokens.tokenAdvantage;
  }

  private readCredit(recorder: Recorder, batch: RolloutBatch, rule: CreditRule, advantage: GPUBuffer) {
    const count = creditCount(batch, rule);
    const read = this.advantages.record(recorder, advantage, count);
    if (rule.unit === 'turn') return async () => usedCredit(batch, rule, new Float32Array(await read()));
    const readValues = this.readValues(recorder, count);
    return async () => {
      const [advantages, values] = await Promise.all([read(), readValues()]);
      return usedCredit(batch, rule, new Float32Array(advantages), new Float32Array(values));
    };
  }

  /** Reads back a number a token, or fewer. */
  private tokenRing(label: string): ReadbackRing {
    const { buffers, workspace, config } = this.policy;
    return new ReadbackRing(buffers, label, workspace.capacity.sequences * config.context);
  }

  private get values(): ValueObjective {
    if (!this.valueObjective) throw new Error('the rule has a critic and was not compiled: await compile() first');
    return this.valueObjective;
  }

  private get tokens() {
    const [value, advantage, goal] = [tokenValue, tokenAdvantage, tokenReturn].map((array) =>
      this.credit.buffer(array),
    );
    return { tokenValue: value, tokenAdvantage: advantage, tokenReturn: goal };
  }

  private criticStep(
    recorder: Recorder,
    critic: Critic,
    minibatch: Minibatch,
    controls: ParameterValues,
    line: number,
  ): void {
    const { report, values } = this;
    const buffers = lossBuffers(this.policy.workspace);
    const valueClip = valueClipOf(controls);
    const from = { buffers, tokens: this.tokens, extent: lossExtent(minibatch), valueClip };
    const loss = () => values.recordLoss(recorder, from, { report, line });
    const step = adamwStep(controls, this.betas, controls.criticRate as number);
    critic.recordStep(recorder, minibatch, { loss, step, report, reportOffset: line * REPORT_WORDS });
  }

  private policyStep(
    recorder: Recorder,
    minibatch: Minibatch,
    advantage: GPUBuffer,
    { controls, batch }: Pick<UpdatePlan, 'controls' | 'batch'>,
    line: number,
  ): void {
    const { policy, objective, report } = this;
    const weights = objectiveWeights(controls);
    policy.recordForward(recorder, minibatch);
    const shared = sharesRatios(controls);
    const loss = { buffers: lossBuffers(policy.workspace), advantage, extent: lossExtent(minibatch), weights, shared };
    objective.recordSurrogate(recorder, loss, { report, line });
    policy.backward.record(recorder, policy.parameters, minibatch);
    const step = adamwStep(controls, this.betas, learningRate(controls, batch.step));
    policy.optimizer.record(recorder, policy.parameters, step, report, line * REPORT_WORDS);
  }
}

function finiteOrNull(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}
