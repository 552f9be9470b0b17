import { tokenAdvantage, tokenReturn, tokenValue } from '../../credit/gpu/batchArrays.ts';
import type { GpuCredit } from '../../credit/gpu/gpuCredit.ts';
import type { CreditRule } from '../../credit/rule.ts';
import { findRule } from '../../credit/rules.ts';
import { ReadbackRing } from '../../gpu/readbackRing.ts';
import type { Recorder } from '../../gpu/recorder.ts';
import { Stopwatch } from '../../gpu/stopwatch.ts';
import {
  type LossExtent,
  type Objective,
  REPORT_WORDS,
  type ReportLine,
  reportLine,
} from '../../objective/objective.ts';
import { type Aggregation, tokenWeights } from '../../objective/surrogate.ts';
import { type TokenLine, tokenLine, ValueObjective } from '../../objective/valueObjective.ts';
import { largest, type ParameterValues } from '../../parameters/parameters.ts';
import type { Minibatch, Sequence } from '../../policy/batch.ts';
import type { Critic } from '../../policy/critic.ts';
import { ADAMW, type AdamWStep } from '../../policy/optimizer.ts';
import type { Policy } from '../../policy/policy.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Rollout, RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { TRAINING_CONTROLS } from '../data/controls.ts';
import { type Selection, selectTurns } from './selection.ts';
import { creditCount, creditPlaces, runParameters, type UsedCredit, usedCredit } from './tokenAdvantages.ts';

/** Most passes over a batch, and most minibatches of an update, epochs counted. */
export const MOST_EPOCHS = largest(TRAINING_CONTROLS, 'epochs');
export const MOST_MINIBATCHES = MOST_EPOCHS * largest(TRAINING_CONTROLS, 'minibatches');
/** Passes over a batch beside those: the reference policy's, and the critic's before the update. */
export const EXTRA_PASSES = 2;
/** Rollouts that KL to the reference is measured on while no KL penalty asks for all of them. */
const REFERENCE_SAMPLE = 16;
/** Lines of the report: the reference, the policy's minibatches, the critic's, the normalisation of the advantages. */
const CRITIC_LINE = 1 + MOST_MINIBATCHES;
const TOKEN_LINE = CRITIC_LINE + MOST_MINIBATCHES;

/** What an update reports once the GPU has done it. */
export interface UpdateReport {
  /** KL(policy || reference) on the batch's tokens as sampled, before the update. */
  readonly reference: ReportLine;
  /** The policy's; none while it waits for its critic. */
  readonly minibatches: readonly ReportLine[];
  /** Absent under rules without a critic. */
  readonly critic?: TokenLine & { readonly minibatches: readonly ReportLine[] };
  readonly credit: UsedCredit;
  /** Share of the batch's turns that were trained on. */
  readonly retained: number;
  /** Milliseconds that the CPU took to record the update. */
  readonly encodeMs: number;
  /** Milliseconds of the GPU for credit, the critic's values included, and for all that follows; null without timestamps. */
  readonly creditMs: number | null;
  readonly optimizeMs: number | null;
}

/** Parts of an update that the GPU's time is taken of. */
const CREDIT = 0;
const OPTIMIZATION = 1;

/**
 * One update: credit, reference pass, and for each minibatch forward, loss, backward and optimiser, all one submission.
 * Under a token rule the critic values the batch first, and takes a step of its own before each of the policy's.
 */
export class Updater {
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
    private readonly maxTurns: number,
    private readonly betas: readonly [number, number],
  ) {
    const words = (TOKEN_LINE + 1) * REPORT_WORDS;
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
   * Records and submits the update of a batch.
   * @param controls rule, its parameters, and TRAINING_CONTROLS
   * @param seed of the order of rollouts, and of a new critic's value head
   * @returns the report, which arrives when the GPU is done; the caller need not wait for it
   */
  update(recorder: Recorder, batch: RolloutBatch, controls: ParameterValues, seed: number): Promise<UpdateReport> {
    const begin = performance.now();
    const { policy, stopwatch } = this;
    const { packer } = policy.workspace;
    const rule = findRule(controls.rule as string);
    const critic = rule.unit === 'token' ? policy.openCritic(seed) : policy.critic;
    const waits = (critic?.serve(rule.name) ?? 0) < (controls.criticUpdates as number);
    const places = creditPlaces(batch, rule);
    const selection = selectTurns(batch, rule, runParameters(rule, controls, this.maxTurns), controls);
    packer.clear();
    const pack = (rollouts: readonly Rollout[], aggregation: Aggregation, selected?: Selection) =>
      packer.add(sequences(policy, rollouts, places, aggregation, selected));
    const weighted = controls.klCoef !== 0 ? batch.rollouts : batch.rollouts.slice(0, REFERENCE_SAMPLE);
    const reference = pack(weighted, 'token-mean');
    const minibatches = this.minibatches(batch, controls, seed, selection).map((rollouts) =>
      pack(rollouts, controls.aggregation as Aggregation, selection),
    );
    const whole = rule.unit === 'token' ? pack(batch.rollouts, 'token-mean') : undefined;
    policy.workspace.uploadBatch();
    const learns = rule.unit === 'turn' || !waits;
    const { read, credit, readTimes } = recorder.whole(() => {
      stopwatch?.start(recorder, CREDIT);
      const advantage = this.encodeCredit(recorder, batch, rule, controls, whole && critic, whole);
      stopwatch?.start(recorder, OPTIMIZATION);
      policy.recordForward(recorder, reference, policy.reference);
      this.objective.recordReference(recorder, this.buffers, extent(reference), { report: this.report, line: 0 });
      for (const [index, minibatch] of minibatches.entries()) {
        if (whole && critic) this.criticStep(recorder, critic, minibatch, controls, CRITIC_LINE + index);
        if (learns) this.policyStep(recorder, minibatch, advantage, controls, 1 + index);
      }
      return {
        readTimes: stopwatch?.stop(recorder),
        read: this.reports.record(recorder, this.report),
        credit: this.readCredit(recorder, batch, rule, advantage),
      };
    });
    if (whole) critic?.learned();
    const encodeMs = performance.now() - begin;
    return Promise.all([read(), credit(), readTimes?.()]).then(([data, used, times]) => {
      const lines = new Float32Array(data);
      const linesFrom = (first: number) => minibatches.map((_, index) => reportLine(lines, first + index));
      return {
        reference: reportLine(lines, 0),
        minibatches: learns ? linesFrom(1) : [],
        ...(whole ? { critic: { ...tokenLine(lines, TOKEN_LINE), minibatches: linesFrom(CRITIC_LINE) } } : {}),
        credit: used,
        retained: selection ? selection.turns.reduce((sum, turn) => sum + turn, 0) / selection.turns.length : 1,
        encodeMs,
        creditMs: finiteOrNull(times?.[CREDIT]),
        optimizeMs: finiteOrNull(times?.[OPTIMIZATION]),
      };
    });
  }

  /** What the rule says about a batch that nothing is learned from; waits for the GPU. */
  judge(recorder: Recorder, batch: RolloutBatch, controls: ParameterValues, seed: number): Promise<UsedCredit> {
    const { policy } = this;
    const rule = findRule(controls.rule as string);
    const critic = rule.unit === 'token' ? policy.openCritic(seed) : undefined;
    policy.workspace.packer.clear();
    const all = sequences(policy, batch.rollouts, creditPlaces(batch, rule), 'token-mean');
    const whole = critic && policy.workspace.packer.add(all);
    policy.workspace.uploadBatch();
    const read = recorder.whole(() => {
      const advantage = this.encodeCredit(recorder, batch, rule, controls, critic, whole);
      return this.readCredit(recorder, batch, rule, advantage);
    });
    return read();
  }

  /** Records the rule over the batch, on the critic's values where it has one; returns the advantages to be used. */
  private encodeCredit(
    recorder: Recorder,
    batch: RolloutBatch,
    rule: CreditRule,
    controls: ParameterValues,
    critic: Critic | undefined,
    whole: Minibatch | undefined,
  ): GPUBuffer {
    const { credit } = this;
    credit.upload(batch.forest, critic ? [tokenValue] : []);
    if (critic && whole) {
      critic.recordValues(recorder, whole);
      this.values.recordValues(recorder, this.buffers, credit.buffer(tokenValue), extent(whole));
    }
    credit.encode(recorder, rule, runParameters(rule, controls, this.maxTurns));
    if (!critic) return credit.advantage;
    const place = { report: this.report, line: TOKEN_LINE };
    this.values.recordNormalization(recorder, this.tokens, batch.policyTokens, place);
    return this.tokens.tokenAdvantage;
  }

  private readCredit(recorder: Recorder, batch: RolloutBatch, rule: CreditRule, advantage: GPUBuffer) {
    const count = creditCount(batch, rule);
    const read = this.advantages.record(recorder, advantage, count);
    if (rule.unit === 'turn') return async () => usedCredit(batch, rule, new Float32Array(await read()));
    this.valued ??= this.tokenRing('values');
    const readValues = this.valued.record(recorder, this.tokens.tokenValue, count);
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

  private get buffers() {
    const { batch, distribution, recorded, lossGradient, terms } = this.policy.workspace;
    return { ...batch, distribution, recorded, lossGradient, terms };
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
    const valueClip = controls.valueClip === 0 ? Infinity : (controls.valueClip as number);
    const from = { buffers: this.buffers, tokens: this.tokens, extent: extent(minibatch), valueClip };
    const loss = () => values.recordLoss(recorder, from, { report, line });
    const step = this.adamw(controls, 'criticRate');
    critic.recordStep(recorder, minibatch, { loss, step, report, reportOffset: line * REPORT_WORDS });
  }

  private policyStep(
    recorder: Recorder,
    minibatch: Minibatch,
    advantage: GPUBuffer,
    controls: ParameterValues,
    line: number,
  ): void {
    const { policy, objective, report } = this;
    const number = (name: string) => controls[name] as number;
    const weights = {
      clipLow: number('clipLow'),
      clipHigh: number('clipHigh'),
      klCoef: number('klCoef'),
      entropyCoef: number('entropyCoef'),
      valueCoef: 0,
      valueClip: 0,
    };
    policy.recordForward(recorder, minibatch);
    const loss = { buffers: this.buffers, advantage, extent: extent(minibatch), weights };
    objective.recordSurrogate(recorder, loss, { report, line });
    policy.backward.record(recorder, policy.parameters, minibatch);
    const step = this.adamw(controls, 'learningRate');
    policy.optimizer.record(recorder, policy.parameters, step, report, line * REPORT_WORDS);
  }

  private adamw(controls: ParameterValues, rate: 'learningRate' | 'criticRate'): AdamWStep {
    const [beta1, beta2] = this.betas;
    return { ...ADAMW, beta1, beta2, learningRate: controls[rate] as number, clipNorm: controls.clipNorm as number };
  }

  /** Cuts the rollouts into minibatches, in an order of its own for every epoch; none where no turn was selected. */
  private minibatches(
    batch: RolloutBatch,
    controls: ParameterValues,
    seed: number,
    selection?: Selection,
  ): Rollout[][] {
    const rollouts = batch.rollouts.filter(
      ({ turns }) => !selection || turns.some(({ forestTurn }) => selection.turns[forestTurn] === 1),
    );
    const parts: Rollout[][] = [];
    if (rollouts.length === 0) return parts;
    const count = Math.min(controls.minibatches as number, rollouts.length);
    const size = Math.ceil(rollouts.length / count);
    for (let epoch = 0; epoch < (controls.epochs as number); epoch++) {
      const order = new CounterRandom(seed, STREAMS.minibatches, batch.step * 8 + epoch).permutation(rollouts.length);
      for (let first = 0; first < order.length; first += size) {
        parts.push(order.slice(first, first + size).map((index) => rollouts[index]));
      }
    }
    return parts;
  }
}

/** The rollouts as the loss sees them: weights of policy tokens, and where each finds its advantage. */
function sequences(
  policy: Policy,
  rollouts: readonly Rollout[],
  places: ReadonlyMap<Rollout, Int32Array>,
  aggregation: Aggregation,
  selection?: Selection,
): Sequence[] {
  const masks = rollouts.map(({ turnOf, turns }) =>
    turnOf.map((turn) => (turn >= 0 && (!selection || selection.turns[turns[turn].forestTurn] === 1) ? 1 : 0)),
  );
  const counts = masks.map((mask) => mask.reduce((count, counted) => count + counted, 0));
  const weights = tokenWeights(counts, aggregation).map((weight) => weight * (selection?.share ?? 1));
  return rollouts.map((rollout, index) => ({
    tokens: rollout.tokens,
    weights: Float32Array.from(masks[index], (counted) => (counted === 1 ? weights[index] : 0)),
    credits: places.get(rollout) as Int32Array,
    slot: rollout.sequence * policy.config.context,
  }));
}

function finiteOrNull(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

function extent(minibatch: Minibatch): LossExtent {
  return { targetBase: minibatch.targetBase, countIndex: minibatch.countIndex + 1, most: minibatch.targets };
}
