import { type CreditRule, isOfTurns } from '../../src/credit/rule.ts';
import { isCustomRule } from '../../src/credit/rules/custom/customRule.ts';
import { findRule } from '../../src/credit/rules.ts';
import {
  alignCriticValues,
  type UpdateReport,
  type UsedCredit,
  usedCredit,
  withValues,
} from '../../src/engine/updatePlan.ts';
import type { AnyEnvironment } from '../../src/environments/environment.ts';
import { ENVIRONMENTS } from '../../src/environments/registry.ts';
import { explainedVariance, moments, normalizeTokens } from '../../src/objective/objective.ts';
import { CounterRandom, pcg4d, STREAMS, uniform } from '../../src/random/counter.ts';
import type { Group } from '../../src/rollouts/forest.ts';
import { completeRollouts, type RolloutBatch } from '../../src/rollouts/rolloutBatch.ts';
import { checkTreeCapacity, layoutOf } from '../../src/training/collect/batch.ts';
import type { SampledBatch } from '../../src/training/collect/collector.ts';
import { environmentName } from '../../src/training/data/configurationTables.ts';
import type { Measurer } from '../../src/training/run/measurer.ts';
import { policyFor } from '../../src/training/run/openEnvironment.ts';
import type { CreateTrainer } from '../../src/training/run/run.ts';
import {
  computeUtilization,
  type Trainer,
  type TrainerHelpers,
  taskCount,
  type Update,
} from '../../src/training/run/trainer.ts';
import type { Push } from '../../src/training/update/logProbabilities.ts';
import { ExactCredit } from '../../src/training/update/planUpdate.ts';
import { updateMetrics } from '../../src/training/update/updateMetrics.ts';
import { createSampledBatch, type GroupBank } from './groupBank.ts';
import type { ScriptedGpu } from './scriptedGpu.ts';
import { hashText, ScriptedPolicy } from './scriptedPolicy.ts';

/** Duration of an update or a sample [ms]: short, but long enough for the page to draw each of them. */
const UPDATE_MS = 40;
/** Additional duration per rollout of a batch [ms]. */
const ROLLOUT_MS = 1;
/** Time [ms] and number of steps between two reports of a warm start. */
const WARM_START_MS = 50;
const WARM_START_STEPS = 10;
/** Change of the log-probability [nats] of a turn of advantage 1 by an update. */
const PUSH = 0.1;

/** Members of a trainer and of its measurer that sessions use. */
type SessionTrainer = Pick<
  Trainer,
  'step' | 'controls' | 'fill' | 'environment' | 'seed' | 'load' | 'warmStart' | 'update' | 'destroy'
> &
  Pick<Measurer, 'sample' | 'judge' | 'play' | 'capacityFor' | 'runCustomRules' | 'addRuleInputs' | 'valuedBy'>;

/**
 * Trainer without a policy. An update returns groups that a real run sampled and that the history of the run selects.
 * The active rule computes their credit in float64. As in a real run, configuration and changes determine a run. The
 * session, lanes, checkpoints and messages around the trainer are those of the product.
 */
class ScriptedTrainer implements SessionTrainer {
  step = 0;
  fill: number | undefined;
  readonly engine: ScriptedPolicy;
  private readonly entry;

  constructor(
    private readonly gpu: ScriptedGpu,
    readonly environment: AnyEnvironment,
    readonly seed: number,
    public controls: Trainer['controls'],
    private readonly helpers: TrainerHelpers,
    private readonly banks: Readonly<Record<string, GroupBank>>,
  ) {
    this.entry = ENVIRONMENTS[environmentName(environment.name)];
    this.engine = new ScriptedPolicy(policyFor(environment));
  }

  load(...[state, step]: Parameters<Trainer['load']>): void {
    this.engine.writeState(state);
    this.step = step;
  }

  async warmStart(...[, progress]: Parameters<Trainer['warmStart']>): Promise<void> {
    const stages = this.environment.warmStart;
    const total = stages.reduce((sum, { steps }) => sum + steps, 0);
    let finished = 0;
    for (const [index, { name, steps }] of stages.entries()) {
      for (let step = 0; step < steps; step += WARM_START_STEPS) {
        await this.gpu.work(WARM_START_MS);
        const position = { stage: name, number: index + 1, stages: stages.length, step, steps };
        await progress({ ...position, left: total - finished - step - 1, loss: 1 }, { draw: 0, stage: index });
      }
      finished += steps;
    }
  }

  async update(watch?: Parameters<Trainer['update']>[0]): Promise<Update> {
    const { step, controls } = this;
    const start = performance.now();
    const batch = this.valued(this.batch(step, this.groupCount));
    await this.gpu.work(UPDATE_MS + ROLLOUT_MS * batch.rollouts.length);
    await this.runCustomRules([controls.rule as string], batch.groups);
    this.fill = computeUtilization(this.fill, batch.forest.parent.length, batch.groups.length, this.layout);
    const exact = new ExactCredit(batch, controls, this.environment.maxTurns);
    const credit = scriptedCredit(batch, findRule(controls.rule as string), exact);
    const report = this.report(batch, credit);
    this.engine.update(step, controls);
    const stepMs = performance.now() - start;
    const times = { stepMs, generateMs: stepMs / 2, updateMs: stepMs / 2, trainedTokens: batch.policyTokens };
    const metrics = updateMetrics(
      batch,
      controls,
      this.environment,
      this.fill,
      { ...report, parameterDigest: this.engine.digest },
      times,
      exact,
    );
    const push = watch && this.push(batch, watch(batch), credit);
    this.step++;
    return {
      batch,
      controls,
      exact,
      metrics: Promise.resolve(this.gpu.isPoisoned ? { ...metrics, loss: Number.NaN } : metrics),
      credit: Promise.resolve(credit),
      ...(push ? { push: Promise.resolve(push) } : {}),
    };
  }

  async sample(key: number): Promise<SampledBatch> {
    await this.gpu.work(UPDATE_MS);
    // The newest update used the group of the previous step; a sample uses another group.
    return this.batch(this.step + 1 + key, 1);
  }

  async judge<Batch extends RolloutBatch>(batch: Batch) {
    const { controls } = this;
    const valued = this.valued(batch);
    await this.runCustomRules([controls.rule as string], valued.groups);
    const exact = new ExactCredit(valued, controls, this.environment.maxTurns);
    return { batch: valued, controls, exact, credit: scriptedCredit(valued, findRule(controls.rule as string), exact) };
  }

  async play(...[tasks, key, evaluation]: Parameters<Measurer['play']>): Promise<SampledBatch> {
    await this.gpu.work(UPDATE_MS);
    return this.batch(key, tasks.length, evaluation?.branching?.[0] ?? 1);
  }

  capacityFor(sequences = 1): number {
    return Math.floor(this.entry.capacity.sequences / sequences);
  }

  async runCustomRules(rules: readonly string[], groups: readonly Group[]): Promise<void> {
    for (const name of rules.filter(isCustomRule)) {
      if (!this.helpers.customRules) throw new Error('own rules cannot run here');
      await this.helpers.customRules.work(name, groups, 'turn');
    }
  }

  async addRuleInputs<Batch extends SampledBatch>(_: readonly string[], batch: Batch): Promise<Batch> {
    return batch;
  }

  async valuedBy<Batch extends RolloutBatch>(rules: readonly string[], batch: Batch): Promise<Batch> {
    const rule = rules.find((name) => findRule(name).reads.includes('values'));
    if (rule === undefined) return batch;
    if (!this.engine.hasCritic) throw new RangeError(`the rule ${rule} needs a critic, and no critic was trained here`);
    return this.withCritic(batch);
  }

  get measurer(): this {
    return this;
  }

  destroy(): void {}

  private get layout() {
    const { controls, entry, environment } = this;
    const layout = layoutOf(findRule(controls.rule as string), controls, entry, environment.maxTurns);
    checkTreeCapacity(layout, controls, entry.capacity.sequences);
    return layout;
  }

  private get groupCount(): number {
    return taskCount(this.controls, this.layout, this.fill, this.entry.capacity.sequences);
  }

  /**
   * Chooses recorded groups.
   * @param key step of the batch, or key of a sample
   * @param groupSize maximum number of first turns of a group; the default is the group size of the run
   */
  private batch(key: number, count: number, groupSize = this.layout.branching[0]): SampledBatch {
    const { branching } = this.layout;
    const tree = branching.some((width, level) => level > 0 && width > 1);
    const { groups } = this.bank(tree);
    // Updates use the groups in the order of the fixture, so that each group is displayed once per cycle.
    const [first] = pcg4d(this.seed, hashText(this.environment.name), 0, 0);
    const start = first + key * count;
    const chosen = Array.from({ length: count }, (_, index) => groups[(start + index) % groups.length]);
    const random = new CounterRandom(this.seed, STREAMS.tasks, key);
    return createSampledBatch(this.step, chosen, groupSize, this.environment.sampleTasks(random, count, 'train'));
  }

  private bank(tree: boolean): GroupBank {
    const name = `${this.environment.name}${tree ? '-tree' : ''}`;
    const bank = this.banks[name];
    if (!bank) throw new Error(`no recorded groups "${name}": add them to test/scripted/record.ts`);
    return bank;
  }

  /** Adds values of a scripted critic to a batch if the active rule reads them. */
  private valued<Batch extends RolloutBatch>(batch: Batch): Batch {
    return findRule(this.controls.rule as string).reads.includes('values') ? this.withCritic(batch) : batch;
  }

  /** Adds values of a scripted critic to a batch. */
  private withCritic<Batch extends RolloutBatch>(batch: Batch): Batch {
    const values = Float32Array.from({ length: batch.policyTokens }, (_, token) =>
      uniform(this.seed, batch.step, this.engine.history, token),
    );
    return withValues(batch, values);
  }

  /** Creates a report with plausible numbers that depend on the history of the run. */
  private report(batch: SampledBatch, credit: UsedCredit): Omit<UpdateReport, 'parameterDigest'> {
    const { history } = this.engine;
    const draw = (position: number) => uniform(this.seed, this.step, history, position);
    const targets = batch.policyTokens;
    const line = {
      loss: draw(0) - 0.5,
      gradientNorm: 0.2 + draw(1),
      targets,
      entropy: targets * draw(2),
      klOld: 0,
      klOldK3: 0,
      klReferenceK1: targets * 0.01 * draw(3),
      klReferenceK3: targets * 0.01 * draw(3),
      clipLow: 0,
      clipHigh: targets * 0.01 * draw(4),
    };
    const minibatches = Array.from({ length: Number(this.controls.minibatches) }, () => line);
    const variance = (values: ArrayLike<number>) => moments(values).variance;
    const critic = credit.values && {
      // The loss is a squared error and therefore above 0.
      minibatches: minibatches.map(() => ({ ...line, loss: 0.01 + draw(5) })),
      tokens: targets,
      explainedVariance: explainedVariance(variance(credit.tokens ?? []), variance(credit.values)),
    };
    const rule = String(this.controls.rule);
    const isPending = critic && this.engine.criticUpdates(rule) < Number(this.controls.criticUpdates);
    if (critic) this.engine.updateCritic(rule);
    return {
      minibatches: isPending ? [] : minibatches,
      reference: line,
      ...(critic ? { critic } : {}),
      credit,
      retained: 1 - credit.turns.filter(Number.isNaN).length / credit.turns.length,
      ...{ encodeMs: 1, creditMs: 1, optimizeMs: UPDATE_MS / 2 },
    };
  }

  /** Computes log-probabilities of the turns of a group before and after an update that moves each by its advantage. */
  private push(batch: SampledBatch, group: number, credit: UsedCredit): Push {
    const sequences = batch.rollouts.slice(batch.rolloutOffset[group], batch.rolloutOffset[group + 1]);
    const rollouts = this.environment.freshPrompts ? sequences : completeRollouts(sequences, batch.forest);
    const before = rollouts.map(({ turns, turnOf, logProb }) =>
      turns.map((_, turn) => turnOf.reduce((sum, of, at) => (of === turn ? sum + logProb[at] : sum), 0)),
    );
    const after = rollouts.map(({ turns }, rollout) =>
      turns.map(({ forestTurn }, turn) => before[rollout][turn] + PUSH * (credit.turns[forestTurn] || 0)),
    );
    return { group, before, after };
  }
}

/** Returns the float64 credit of a batch in the form in which an update on the GPU reports credit. */
function scriptedCredit(batch: RolloutBatch, rule: CreditRule, exact: ExactCredit): UsedCredit {
  const credits = batch.groups.map((_, group) => exact.of(group, rule));
  if (rule.unit === 'turn') return { turns: Float32Array.from(credits.flatMap(({ advantage }) => [...advantage])) };
  const advantages = normalizeTokens(credits.flatMap(({ tokens }) => [...(tokens?.advantages ?? [])]));
  const values = Float32Array.from(batch.groups.flatMap(({ turns }) => turns.flatMap((turn) => turn.values ?? [])));
  const displayed = isOfTurns(rule) ? alignCriticValues(batch, rule, values) : values;
  return usedCredit(batch, rule, Float32Array.from(advantages), displayed);
}

/**
 * Returns a function that creates the trainers of scripted runs.
 * @param banks recorded groups by environment, with the suffix `-tree` for trees
 */
export function scriptedTrainers(banks: Readonly<Record<string, GroupBank>>): CreateTrainer {
  return async (gpu, environment, seed, controls, _capacity, helpers = {}) =>
    new ScriptedTrainer(
      gpu as unknown as ScriptedGpu,
      environment,
      seed,
      controls,
      helpers,
      banks,
    ) as unknown as Trainer;
}
