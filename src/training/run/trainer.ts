import { isOwn } from '../../credit/rules/own/ownSource.ts';
import { findRule } from '../../credit/rules.ts';
import type { Engine, EngineDevice } from '../../engine/engine.ts';
import type { PolicyState } from '../../engine/shared.ts';
import { type UsedCredit, withValues } from '../../engine/usedCredit.ts';
import type { AnyEnvironment, Reliability, Timing, WarmStartStage } from '../../environments/environment.ts';
import { ENVIRONMENTS, type RegisteredEnvironment } from '../../environments/registry.ts';
import type { OwnRules } from '../../ownRules/ownRules.ts';
import type { ParameterValue, ParameterValues } from '../../parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Group, TurnField } from '../../rollouts/forest.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { questionsOf, withBeliefs } from '../collect/beliefs.ts';
import { checkRoom, type Layout, layoutOf, nextFill, taskCount } from '../collect/budget.ts';
import { Collector } from '../collect/collector.ts';
import type { Evaluation, PlayedBatch } from '../collect/collectRequest.ts';
import { playOn } from '../collect/worths.ts';
import { environmentName, OFFERED } from '../data/configurationTables.ts';
import type { Metrics } from '../data/protocol.ts';
import { ModelPayment } from '../rewardModel/modelPayment.ts';
import { type CreditedBatch, ExactCredit } from '../update/exactCredit.ts';
import { answerProbabilities, nextTokens } from '../update/logProbabilities.ts';
import { MOST_EPOCHS, MOST_MINIBATCHES, planCredit, planUpdate } from '../update/planUpdate.ts';
import { policyGradient } from '../update/policyGradient.ts';
import { updateMetrics } from '../update/updateMetrics.ts';
import { policyFor } from './openEnvironment.ts';
import { type Push, watchedGroup } from './push.ts';
import type { WarmStartPoint } from './stoppedWarmStart.ts';
import { imitate, warmStart } from './warmStart.ts';

/** What one update did. The metrics arrive when the GPU is done; the rollouts are there at once. */
export interface Update {
  readonly batch: PlayedBatch;
  readonly controls: ParameterValues;
  readonly metrics: Promise<Metrics>;
  /** What rules say about the batch in float64, worked out when it is asked for. */
  readonly exact: ExactCredit;
  /** What the rule said about the batch, as the update used it; arrives with the metrics. */
  readonly credit: Promise<UsedCredit>;
  /** How far the update moved what a watched group wrote; absent where none was watched. */
  readonly push?: Promise<Push>;
}

/** What some rules and controls need of the place that a run is in. */
export interface TrainerHelpers {
  /** Works rules of one's own out. */
  readonly ownRules?: OwnRules;
  /** A reward model of the run's world, as a file; undefined where it is to be made here. @throws {RewardModelError} where there is none */
  readonly loadRewardModel?: (reliability: Reliability) => Promise<ArrayBuffer>;
}

/** A run on one device: policy, environment and controls. One call of `update` is one step of learning. */
export class Trainer {
  /** Updates done. */
  step = 0;
  /** nextFill() of the last update; undefined before the first. */
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
   * Creates the engine of a run. It compiles all kernels except those of credit rules: a rule's are compiled while the first
   * batch under it is sampled (Engine.prepare). The policy has no parameters yet: call `load` or `warmStart`.
   * @param capacity of one batch, where the environment's is not wanted
   * @param helpers what is asked for only by some rules and controls; those are refused without it
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
      largest: { epochs: MOST_EPOCHS, minibatches: MOST_MINIBATCHES },
      rules: OFFERED[entry.name].map(findRule),
      betas: entry.betas,
    });
    return new Trainer(environment, engine, seed, controls, helpers);
  }

  /** Continues from a state, for example of a checkpoint. */
  load(state: PolicyState, step: number): void {
    this.engine.writeState(state);
    this.step = step;
  }

  /** Makes the warm start on this device (`warmStart`); the run then stands at step 0. */
  async warmStart(seed: number, progress: Parameters<typeof warmStart>[3], from?: WarmStartPoint): Promise<void> {
    await warmStart(this.engine, this.environment.warmStart, seed, progress, from);
    await this.startHere();
  }

  /** Trains the present policy on demonstrations (`imitate`); the run then stands at step 0. */
  async imitate(
    stage: WarmStartStage<Timing>,
    progress: (step: number, loss: number) => void | Promise<void>,
  ): Promise<void> {
    await imitate(this.engine, stage, progress);
    await this.startHere();
  }

  /**
   * Samples a batch and learns from it. Resolves when the update is submitted, not when it is done.
   * @param watch the group of the batch whose turns' probabilities are compared before and after; nothing else may be asked
   *   of the trainer until that has come
   */
  async update(watch?: (batch: PlayedBatch) => number): Promise<Update> {
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
    const fill = nextFill(this.fill, batch.forest.parent.length, batch.groups.length, layout);
    this.fill = fill;
    const sampled = performance.now();
    // The GPU was busy with the last update until its report arrived; this step's own time begins there.
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
    // Who wants it awaits it; what goes wrong is told by the metrics too.
    credit.catch(() => {});
    if (!watched) return { batch, controls, exact, metrics, credit };
    const push = reported.then(() => watched());
    push.catch(() => {});
    return { batch, controls, exact, metrics, credit, push };
  }

  /**
   * Lets the sandbox work out what rules of one's own say of groups; the others need nothing. From then on they answer at once.
   * @throws {OwnRuleError | CreditError} for what such a rule does wrong; nothing is learned then
   */
  async workOut(rules: readonly string[], groups: readonly Group[]): Promise<void> {
    for (const name of rules.filter(isOwn)) {
      if (!this.helpers.ownRules) throw new Error('rules of your own cannot run here');
      await this.helpers.ownRules.work(name, groups, 'turn');
    }
  }

  /**
   * The batch with what rules read beside what was played: what the policy thinks of the right answers before each turn, what
   * episodes return that go on from there.
   * @param key numbers the batch, for the draws of these episodes
   */
  async readableBy<Batch extends PlayedBatch>(rules: readonly string[], batch: Batch, key: number): Promise<Batch> {
    const read = (field: TurnField) => rules.some((name) => findRule(name).reads.includes(field));
    const believed = read('belief') ? await this.believing(batch) : batch;
    if (!read('worth')) return believed;
    const played = await playOn(this, believed, key);
    // These episodes were generated where the batch was.
    this.engine.recordSampled(batch.rollouts);
    return played;
  }

  /**
   * The batch with the values that the critic, as it stands, gives to tokens of turns, of trees too: for rules that read them where
   * nothing is learned, as the first of them asks for them. As it was where none of the rules does.
   * @throws {RangeError} where there is no critic that has learned
   */
  async valuedBy<Batch extends RolloutBatch>(rules: readonly string[], batch: Batch): Promise<Batch> {
    const rule = rules.map(findRule).find(({ reads }) => reads.includes('values'));
    if (rule === undefined) return batch;
    const { engine, controls } = this;
    if (engine.steps.critic === 0)
      throw new RangeError(`the rule ${rule.name} needs a critic, and none has learned here`);
    await engine.prepare(rule);
    const exact = new ExactCredit(batch, controls, this.environment.maxTurns);
    return withValues(batch, await engine.values(planCredit(batch, rule, exact, engine.config.context)));
  }

  private async startHere(): Promise<void> {
    const { parameters } = await this.engine.readState();
    this.engine.start(parameters);
    this.step = 0;
  }

  private async believing<Batch extends PlayedBatch>(batch: Batch): Promise<Batch> {
    const questions = questionsOf(this.environment, batch);
    return withBeliefs(batch, questions, await answerProbabilities(this.engine, questions.asked));
  }

  /** Samples one group with the present policy without learning from it. `key` numbers such samples. */
  async sample(key: number): Promise<PlayedBatch> {
    const random = new CounterRandom(this.seed, STREAMS.evaluation, key);
    const tasks = this.environment.sampleTasks(random, 1, 'train');
    const batch = await this.collect(tasks, 0x80000000 + key, this.layout);
    return this.readableBy([this.controls.rule as string], batch, key);
  }

  /** What the rule in force says about a batch that nothing is learned from; waits for the GPU. */
  async judge<Batch extends RolloutBatch>(batch: Batch): Promise<CreditedBatch & { readonly batch: Batch }> {
    const { controls, engine } = this;
    const rule = findRule(controls.rule as string);
    await Promise.all([engine.prepare(rule), this.workOut([rule.name], batch.groups)]);
    const exact = new ExactCredit(batch, controls, this.environment.maxTurns);
    const credit = await engine.judge(planCredit(batch, rule, exact, engine.config.context));
    return { batch, controls, exact, credit };
  }

  /** Plays `count` tasks of a split once each, without learning: an evaluation. */
  async evaluate(count: number, split: 'train' | 'held-out', key = 0): Promise<RolloutBatch> {
    const random = new CounterRandom(this.seed, STREAMS.evaluation, 0xe0000000 + key);
    return this.play(this.environment.sampleTasks(random, count, split), key);
  }

  /** How many episodes there is surely room for at a time. @param sequences that one of them may take */
  roomFor(sequences = 1): number {
    const { capacity, config } = this.engine;
    const most = Math.min(capacity.sequences, Math.floor(capacity.rows / config.context));
    return Math.floor(most / sequences);
  }

  /** Plays these tasks without learning, once each unless asked otherwise; see `roomFor`. */
  play(tasks: readonly unknown[], key: number, evaluation: Evaluation = {}): Promise<PlayedBatch> {
    return this.collect(tasks, 0xc0000000 + key, { branching: [1], turns: this.environment.maxTurns }, evaluation);
  }

  /** The direction in which these advantages would move the policy; nothing moves (policyGradient). */
  gradient(batch: RolloutBatch, advantage: ArrayLike<number>): Promise<Float32Array> {
    return policyGradient(this.engine, batch, advantage);
  }

  /**
   * Computes the probabilities of the next token under the present policy, at the temperature of the run.
   * @param contexts tokens that the policy sees
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
    checkRoom(layout, this.controls, this.engine.capacity.sequences);
    return layout;
  }

  private async collect(
    tasks: readonly unknown[],
    key: number,
    { branching, continuations, turns }: Layout,
    evaluation: Evaluation = {},
  ): Promise<PlayedBatch> {
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
