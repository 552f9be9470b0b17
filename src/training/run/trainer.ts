import { isCustomRule } from '../../credit/rules/custom/customRule.ts';
import { findRule } from '../../credit/rules.ts';
import type { CustomRules } from '../../customRules/customRules.ts';
import type { Engine, EngineDevice } from '../../engine/engine.ts';
import type { PolicyState } from '../../engine/shared.ts';
import { type UsedCredit, withValues } from '../../engine/usedCredit.ts';
import type { AnyEnvironment, Reliability, Timing, WarmStartStage } from '../../environments/environment.ts';
import { ENVIRONMENTS, type RegisteredEnvironment } from '../../environments/registry.ts';
import type { ParameterValue, ParameterValues } from '../../parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Group, TurnField } from '../../rollouts/forest.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { questionsOf, withAnswerProbabilities } from '../collect/answerProbabilities.ts';
import { checkTreeCapacity, computeUtilization, type Layout, layoutOf, taskCount } from '../collect/budget.ts';
import { Collector } from '../collect/collector.ts';
import type { Evaluation, SampledBatch } from '../collect/collectRequest.ts';
import { estimateStateValues } from '../collect/stateValues.ts';
import { environmentName, OFFERED } from '../data/configurationTables.ts';
import type { Metrics } from '../data/protocol.ts';
import { ModelPayment } from '../rewardModel/modelPayment.ts';
import { type BatchWithCredit, ExactCredit } from '../update/exactCredit.ts';
import { answerProbabilities, nextTokens } from '../update/logProbabilities.ts';
import { MAX_EPOCHS, MAX_MINIBATCHES, planCredit, planUpdate } from '../update/planUpdate.ts';
import { policyGradient } from '../update/policyGradient.ts';
import { updateMetrics } from '../update/updateMetrics.ts';
import { policyFor } from './openEnvironment.ts';
import { type Push, watchedGroup } from './push.ts';
import type { WarmStartPoint } from './stoppedWarmStart.ts';
import { imitate, warmStart } from './warmStart.ts';

/** Result of one update. The rollouts are available immediately, and the metrics when the GPU has finished. */
export interface Update {
  readonly batch: SampledBatch;
  readonly controls: ParameterValues;
  readonly metrics: Promise<Metrics>;
  /** Credit of the batch under each rule in float64, computed on request. */
  readonly exact: ExactCredit;
  /** Credit of the batch that the update used. It arrives with the metrics. */
  readonly credit: Promise<UsedCredit>;
  /** Change of the probabilities of a watched group's turns by the update; absent if no group was watched. */
  readonly push?: Promise<Push>;
}

/** Functions of the host of a run that only some rules and controls need. */
export interface TrainerHelpers {
  /** Computes custom rules. */
  readonly customRules?: CustomRules;
  /**
   * Loads the file of a reward model of the run's world. Absent if reward models are not available.
   * @throws {RewardModelError} if the model does not exist
   */
  readonly loadRewardModel?: (reliability: Reliability) => Promise<ArrayBuffer>;
}

/** Policy, environment and controls of a run on one device. A call of `update` is one step of the run. */
export class Trainer {
  /** Number of finished updates. */
  step = 0;
  /** computeUtilization() of the last update; undefined before the first update. */
  fill: number | undefined;
  private readonly collector: Collector<unknown>;
  private lastArrival = 0;
  private readonly payment: ModelPayment;

  private constructor(
    readonly environment: AnyEnvironment,
    readonly engine: Engine,
    readonly seed: number,
    public controls: Readonly<Record<string, ParameterValue>>,
    private readonly helpers: TrainerHelpers,
  ) {
    this.collector = new Collector(environment, engine);
    this.payment = new ModelPayment(environment, engine, helpers.loadRewardModel);
  }

  /**
   * Creates the trainer of a run and its engine. All kernels are compiled except those of credit rules, which are
   * compiled while the first batch under the rule is sampled (Engine.prepare). The policy has no parameters; call
   * `load` or `warmStart`.
   * @param capacity capacity of one batch; by default that of the environment
   * @param helpers functions of the host. Rules and controls that need a missing function fail with an error
   */
  static async create(
    device: EngineDevice,
    environment: AnyEnvironment,
    seed: number,
    controls: Readonly<Record<string, ParameterValue>>,
    capacity?: RegisteredEnvironment['capacity'],
    helpers: TrainerHelpers = {},
  ): Promise<Trainer> {
    const { context, maxTurns, turnLengths } = environment;
    const entry = ENVIRONMENTS[environmentName(environment.name)];
    const { sequences, tokens: rows = sequences * context } = capacity ?? entry.capacity;
    const engine = await device.createEngine({
      ...{ maxTurns, turnLengths, seed },
      config: policyFor(environment),
      capacity: { sequences, rows },
      largest: { epochs: MAX_EPOCHS, minibatches: MAX_MINIBATCHES },
      rules: OFFERED[entry.name].map(findRule),
      betas: entry.betas,
    });
    return new Trainer(environment, engine, seed, controls, helpers);
  }

  /** Continues from a state, for example from a checkpoint. */
  load(state: PolicyState, step: number): void {
    this.engine.writeState(state);
    this.step = step;
  }

  /** Trains the warm start on this device (`warmStart`). The run is then at step 0. */
  async warmStart(seed: number, progress: Parameters<typeof warmStart>[3], from?: WarmStartPoint): Promise<void> {
    await warmStart(this.engine, this.environment.warmStart, seed, progress, from);
    await this.startHere();
  }

  /** Trains the current policy on demonstrations (`imitate`). The run is then at step 0. */
  async imitate(
    stage: WarmStartStage<Timing>,
    progress: (step: number, loss: number) => void | Promise<void>,
  ): Promise<void> {
    await imitate(this.engine, stage, progress);
    await this.startHere();
  }

  /**
   * Samples a batch and trains on it. Resolves when the update is submitted, not when it has finished.
   * @param watch returns the index of a group whose turn probabilities are measured before and after the update. Send
   *   no other request to the trainer until this measurement (`push`) has arrived
   */
  async update(watch?: (batch: SampledBatch) => number): Promise<Update> {
    const { step, controls, layout, engine } = this;
    const rule = findRule(controls.rule as string);
    const start = performance.now();
    const random = new CounterRandom(this.seed, STREAMS.tasks, step);
    const count = taskCount(controls, layout, this.fill, engine.capacity.sequences);
    const [collected] = await Promise.all([
      this.collect(this.environment.sampleTasks(random, count, 'train'), step, layout),
      engine.prepare(rule),
    ]);
    const batch = await this.readableBy([rule.name], collected, step);
    await this.workOut([rule.name], batch.groups);
    const fill = computeUtilization(this.fill, batch.forest.parent.length, batch.groups.length, layout);
    this.fill = fill;
    const sampled = performance.now();
    // The GPU was busy with the last update until its report arrived, so the time of this update starts there.
    const begin = Math.max(start, this.lastArrival);
    const watched = watch && (await watchedGroup(this, batch, watch(batch)));
    const exact = new ExactCredit(batch, controls, this.environment.maxTurns);
    const run = { seed: this.seed, context: engine.config.context, criticUpdates: engine.criticUpdates(rule) };
    const planning = performance.now();
    const plan = planUpdate(batch, controls, exact, run);
    const planMs = performance.now() - planning;
    const reported = engine.update(plan);
    this.step++;
    const metrics = reported.then((report) => {
      const arrived = performance.now();
      this.lastArrival = arrived;
      const times = {
        stepMs: arrived - begin,
        generateMs: sampled - begin,
        updateMs: arrived - sampled,
        trainedTokens: report.minibatches.reduce((sum, line) => sum + line.targets, 0),
      };
      const planned = { ...report, encodeMs: planMs + report.encodeMs };
      return updateMetrics(batch, controls, this.environment, fill, planned, times, exact);
    });
    const credit = reported.then((report) => report.credit);
    // Callers that need the credit await it; the metrics also report errors.
    credit.catch(() => {});
    if (!watched) return { batch, controls, exact, metrics, credit };
    const push = reported.then(() => watched());
    push.catch(() => {});
    return { batch, controls, exact, metrics, credit, push };
  }

  /**
   * Computes the credit of custom rules for groups in the sandbox, and caches it. Other rules need no preparation.
   * @throws {CustomRuleError | CreditError} if a custom rule fails
   */
  async workOut(rules: readonly string[], groups: readonly Group[]): Promise<void> {
    for (const name of rules.filter(isCustomRule)) {
      if (!this.helpers.customRules) throw new Error('custom rules cannot run here');
      await this.helpers.customRules.work(name, groups, 'turn');
    }
  }

  /**
   * Returns the batch with additional fields that rules read. They are the probability of the right answer before each
   * turn, and the mean return of continuations from before the turn.
   * @param key number of the batch, for the draws of the continuations
   */
  async readableBy<Batch extends SampledBatch>(rules: readonly string[], batch: Batch, key: number): Promise<Batch> {
    const read = (field: TurnField) => rules.some((name) => findRule(name).reads.includes(field));
    const extended = read('answerLogProb') ? await this.believing(batch) : batch;
    if (!read('stateValue')) return extended;
    const continued = await estimateStateValues(this, extended, key);
    // The continuations have overwritten the samples of the batch on the engine.
    this.engine.recordSampled(batch.rollouts);
    return continued;
  }

  /**
   * Returns the batch with the values of the current critic at the tokens of turns, also in trees. They are for rules
   * that read values without training, in the form that the first of these rules requires. Returns the batch unchanged
   * if none of the rules reads values.
   * @throws {RangeError} if the critic was not trained
   */
  async valuedBy<Batch extends RolloutBatch>(rules: readonly string[], batch: Batch): Promise<Batch> {
    const rule = rules.map(findRule).find(({ reads }) => reads.includes('values'));
    if (rule === undefined) return batch;
    const { engine, controls } = this;
    if (engine.steps.critic === 0)
      throw new RangeError(`the rule ${rule.name} needs a critic, and no critic was trained here`);
    await engine.prepare(rule);
    const exact = new ExactCredit(batch, controls, this.environment.maxTurns);
    return withValues(batch, await engine.values(planCredit(batch, rule, exact, engine.config.context)));
  }

  private async startHere(): Promise<void> {
    const { parameters } = await this.engine.readState();
    this.engine.start(parameters);
    this.step = 0;
  }

  private async believing<Batch extends SampledBatch>(batch: Batch): Promise<Batch> {
    const questions = questionsOf(this.environment, batch);
    return withAnswerProbabilities(batch, questions, await answerProbabilities(this.engine, questions.questions));
  }

  /** Samples one group with the current policy, without training. @param key number of the sample, for its draws */
  async sample(key: number): Promise<SampledBatch> {
    const random = new CounterRandom(this.seed, STREAMS.evaluation, key);
    const tasks = this.environment.sampleTasks(random, 1, 'train');
    const batch = await this.collect(tasks, 0x80000000 + key, this.layout);
    return this.readableBy([this.controls.rule as string], batch, key);
  }

  /** Computes the credit of a batch under the active rule, without training. Waits for the GPU. */
  async judge<Batch extends RolloutBatch>(batch: Batch): Promise<BatchWithCredit & { readonly batch: Batch }> {
    const { controls, engine } = this;
    const rule = findRule(controls.rule as string);
    await Promise.all([engine.prepare(rule), this.workOut([rule.name], batch.groups)]);
    const exact = new ExactCredit(batch, controls, this.environment.maxTurns);
    const credit = await engine.judge(planCredit(batch, rule, exact, engine.config.context));
    return { batch, controls, exact, credit };
  }

  /** Samples one episode for each of `count` tasks of a split, without training. */
  async evaluate(count: number, split: 'train' | 'held-out', key = 0): Promise<RolloutBatch> {
    const random = new CounterRandom(this.seed, STREAMS.evaluation, 0xe0000000 + key);
    return this.play(this.environment.sampleTasks(random, count, split), key);
  }

  /**
   * Returns the number of episodes that certainly fit at a time.
   * @param sequences maximum number of sequences of an episode
   */
  capacityFor(sequences = 1): number {
    const { capacity, config } = this.engine;
    const maximum = Math.min(capacity.sequences, Math.floor(capacity.rows / config.context));
    return Math.floor(maximum / sequences);
  }

  /** Samples episodes of tasks without training. `capacityFor` returns the number of episodes that fit. */
  play(tasks: readonly unknown[], key: number, evaluation: Evaluation = {}): Promise<SampledBatch> {
    return this.collect(tasks, 0xc0000000 + key, { branching: [1], turns: this.environment.maxTurns }, evaluation);
  }

  /** Computes the policy gradient of advantages. The policy does not change (policyGradient). */
  gradient(batch: RolloutBatch, advantage: ArrayLike<number>): Promise<Float32Array> {
    return policyGradient(this.engine, batch, advantage);
  }

  /**
   * Computes the probabilities of the next token under the current policy, at the temperature of the run.
   * @param contexts contexts of the policy, as tokens
   * @returns [contexts][vocabulary]
   */
  tokenProbabilities(contexts: readonly (readonly number[])[]): Promise<readonly (readonly number[])[]> {
    const { vocabulary } = this.environment;
    return nextTokens(this.engine, contexts, vocabulary.size, this.controls.temperature as number);
  }

  destroy(): void {
    this.payment.destroy();
    this.engine.destroy();
  }

  private get layout(): Layout {
    const rule = findRule(this.controls.rule as string);
    const layout = layoutOf(
      rule,
      this.controls,
      ENVIRONMENTS[environmentName(this.environment.name)],
      this.environment.maxTurns,
    );
    checkTreeCapacity(layout, this.controls, this.engine.capacity.sequences);
    return layout;
  }

  private async collect(
    tasks: readonly unknown[],
    key: number,
    { branching, continuations, turns }: Layout,
    evaluation: Evaluation = {},
  ): Promise<SampledBatch> {
    const { controls } = this;
    const pay = await this.payment.under(evaluation.controls ?? controls);
    const number = (name: string) => controls[name] as number;
    const shortened = turns < this.environment.maxTurns ? { play: { mode: 'train', maxTurns: turns } as const } : {};
    return this.collector.collect({
      step: this.step,
      tasks,
      branching,
      ...(continuations ? { continuations } : {}),
      controls,
      sampling: { temperature: number('temperature'), topP: number('topP'), topK: number('topK') },
      seed: this.seed,
      key,
      ...shortened,
      ...evaluation,
      ...(pay ? { pay } : {}),
    });
  }
}
