import { findRule } from '../../credit/rules.ts';
import type { CustomRules } from '../../customRules/customRules.ts';
import type { Engine, EngineDevice } from '../../engine/engine.ts';
import type { PolicyState } from '../../engine/shared.ts';
import type { UsedCredit } from '../../engine/updatePlan.ts';
import type { AnyEnvironment, Reliability, Timing, WarmStartStage } from '../../environments/environment.ts';
import { ENVIRONMENTS, type RegisteredEnvironment } from '../../environments/registry.ts';
import type { ParameterValue, ParameterValues } from '../../parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import { checkTreeCapacity, computeMaxSequences, computeMaxTurns, type Layout, layoutOf } from '../collect/batch.ts';
import { Collector, type Evaluation, type SampledBatch } from '../collect/collector.ts';
import { environmentName, OFFERED } from '../data/configurationTables.ts';
import type { Metrics } from '../data/protocol.ts';
import { ModelPayment } from '../rewardModel/rewardModel.ts';
import { type Push, watchedGroup } from '../update/logProbabilities.ts';
import { ExactCredit, MAX_EPOCHS, MAX_MINIBATCHES, planUpdate } from '../update/planUpdate.ts';
import { updateMetrics } from '../update/updateMetrics.ts';
import { type MeasuredPolicy, Measurer } from './measurer.ts';
import { policyFor } from './openEnvironment.ts';
import { imitate, type WarmStartPoint, warmStart } from './warmStart.ts';

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
export class Trainer implements MeasuredPolicy {
  /** Number of finished updates. */
  step = 0;
  /** computeUtilization() of the last update; undefined before the first update. */
  fill: number | undefined;
  private readonly collector: Collector<unknown>;
  private lastArrival = 0;
  private readonly payment: ModelPayment;
  /** Measurements of the present policy. */
  readonly measurer: Measurer;

  private constructor(
    readonly environment: AnyEnvironment,
    readonly engine: Engine,
    readonly seed: number,
    public controls: Readonly<Record<string, ParameterValue>>,
    helpers: TrainerHelpers,
  ) {
    this.collector = new Collector(environment, engine);
    this.payment = new ModelPayment(environment, engine, helpers.loadRewardModel);
    this.measurer = new Measurer(this, helpers.customRules);
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
    const batch = await this.measurer.addRuleInputs([rule.name], collected, step);
    await this.measurer.runCustomRules([rule.name], batch.groups);
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

  private async startHere(): Promise<void> {
    const { parameters } = await this.engine.readState();
    this.engine.start(parameters);
    this.step = 0;
  }

  destroy(): void {
    this.payment.destroy();
    this.engine.destroy();
  }

  /** Layout of the rollouts under the active rule. @throws {TooLargeError} if one tree can exceed the capacity */
  get layout(): Layout {
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

  /** Samples episodes of tasks, without training. @param key of the draws */
  async collect(
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

/** Weight of the newest update in a running mean. */
const NEW = 0.3;

/**
 * Computes the sampled share of the possible turns, 0 to 1, as a running mean over updates. It is a metric, so that a
 * resumed run continues with the same value.
 * @param before value after the previous update; undefined at the first update
 * @param turns number of turns of the batch
 * @param tasks number of tasks of the batch
 */
export function computeUtilization(before: number | undefined, turns: number, tasks: number, layout: Layout): number {
  const share = turns / (tasks * computeMaxTurns(layout));
  return before === undefined ? share : (1 - NEW) * before + NEW * share;
}

/**
 * Computes the number of tasks of an update. If the environment has no control `programs`, it is the requested number,
 * limited so that all possible turns fit. Otherwise it is the number that is expected to use the budget of programs, at
 * least two. For the budget 0, it is the requested number. In both cases, all first turns fit.
 * @param fill computeUtilization() after the previous update. At the first update it is undefined, and all possible
 *   turns are expected
 * @param sequences capacity of the engine
 */
export function taskCount(
  controls: ParameterValues,
  layout: Layout,
  fill: number | undefined,
  sequences: number,
): number {
  const { programs, questions } = controls as Readonly<Record<string, number>>;
  const countFitting = (each: number) => Math.max(1, Math.floor(sequences / each));
  if (programs === undefined) return Math.min(countFitting(computeMaxSequences(layout)), questions);
  const maximum = countFitting(layout.branching[0]);
  if (programs === 0) return Math.min(maximum, questions);
  const expected = computeMaxTurns(layout) * (fill ?? 1);
  return Math.min(maximum, Math.max(2, Math.round(programs / expected)));
}
