import { isCustomRule } from '../../credit/rules/custom/customRule.ts';
import { findRule } from '../../credit/rules.ts';
import type { CustomRules } from '../../customRules/customRules.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Sequence } from '../../engine/shared.ts';
import { withValues } from '../../engine/updatePlan.ts';
import type { AnyEnvironment } from '../../environments/environment.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Group } from '../../rollouts/forest.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import type { Layout } from '../collect/batch.ts';
import type { Evaluation, SampledBatch } from '../collect/collector.ts';
import { addAnswerProbabilities, estimateStateValues } from '../collect/ruleInputs.ts';
import { environmentName } from '../data/configurationTables.ts';
import type { Metrics } from '../data/protocol.ts';
import { nextTokens } from '../update/logProbabilities.ts';
import { type BatchWithCredit, ExactCredit, planCredit } from '../update/planUpdate.ts';

/** Policy in an environment, under the present controls of a run. */
export interface MeasuredPolicy {
  readonly environment: AnyEnvironment;
  readonly engine: Engine;
  readonly seed: number;
  readonly controls: ParameterValues;
  /** Number of finished updates. */
  readonly step: number;
  /** Layout of the rollouts under the active rule. */
  readonly layout: Layout;
  /** Samples episodes of tasks. @param key of the draws */
  collect(tasks: readonly unknown[], key: number, layout: Layout, evaluation?: Evaluation): Promise<SampledBatch>;
}

/** Measurements of a policy. They sample, and compute credit and gradients, and never train. */
export class Measurer {
  /** @param customRules computes custom rules; absent if they are not available */
  constructor(
    private readonly policy: MeasuredPolicy,
    private readonly customRules?: CustomRules,
  ) {}

  get environment(): AnyEnvironment {
    return this.policy.environment;
  }

  get seed(): number {
    return this.policy.seed;
  }

  get controls(): ParameterValues {
    return this.policy.controls;
  }

  get step(): number {
    return this.policy.step;
  }

  /** Samples one group under the active rule. @param key number of the sample, for its draws */
  async sample(key: number): Promise<SampledBatch> {
    const random = new CounterRandom(this.seed, STREAMS.evaluation, key);
    const tasks = this.environment.sampleTasks(random, 1, 'train');
    const batch = await this.policy.collect(tasks, 0x80000000 + key, this.policy.layout);
    return this.addRuleInputs([this.controls.rule as string], batch, key);
  }

  /** Samples one episode for each of `count` tasks of a split. */
  async evaluate(count: number, split: 'train' | 'held-out', key = 0): Promise<RolloutBatch> {
    const random = new CounterRandom(this.seed, STREAMS.evaluation, 0xe0000000 + key);
    return this.play(this.environment.sampleTasks(random, count, split), key);
  }

  /** Samples episodes of tasks. `capacityFor` returns the number of episodes that fit. */
  play(tasks: readonly unknown[], key: number, evaluation: Evaluation = {}): Promise<SampledBatch> {
    const layout = { branching: [1], turns: this.environment.maxTurns };
    return this.policy.collect(tasks, 0xc0000000 + key, layout, evaluation);
  }

  /**
   * Returns the number of episodes that certainly fit at a time.
   * @param sequences maximum number of sequences of an episode
   */
  capacityFor(sequences = 1): number {
    const { capacity, config } = this.policy.engine;
    const maximum = Math.min(capacity.sequences, Math.floor(capacity.rows / config.context));
    return Math.floor(maximum / sequences);
  }

  /**
   * Computes the credit of custom rules for groups in the sandbox, and caches it. Other rules need no preparation.
   * @throws {CustomRuleError | CreditError} if a custom rule fails
   */
  async runCustomRules(rules: readonly string[], groups: readonly Group[]): Promise<void> {
    for (const name of rules.filter(isCustomRule)) {
      if (!this.customRules) throw new Error('custom rules cannot run here');
      await this.customRules.work(name, groups, 'turn');
    }
  }

  /**
   * Returns the batch with additional fields that rules read. They are the probability of the right answer before each
   * turn, and the mean return of continuations from before the turn.
   * @param key number of the batch, for the draws of the continuations
   */
  async addRuleInputs<Batch extends SampledBatch>(rules: readonly string[], batch: Batch, key: number): Promise<Batch> {
    const read = new Set(rules.flatMap((name) => findRule(name).reads));
    const { engine } = this.policy;
    const extended = read.has('answerLogProb') ? await addAnswerProbabilities(engine, this.environment, batch) : batch;
    if (!read.has('stateValue')) return extended;
    const continued = await estimateStateValues(this, extended, key);
    // The continuations have overwritten the samples of the batch on the engine.
    engine.recordSampled(batch.rollouts);
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
    const { engine } = this.policy;
    if (engine.steps.critic === 0)
      throw new RangeError(`the rule ${rule.name} needs a critic, and no critic was trained here`);
    await engine.prepare(rule);
    const exact = new ExactCredit(batch, this.controls, this.environment.maxTurns);
    return withValues(batch, await engine.values(planCredit(batch, rule, exact, engine.config.context)));
  }

  /** Computes the credit of a batch under the active rule. Waits for the GPU. */
  async judge<Batch extends RolloutBatch>(batch: Batch): Promise<BatchWithCredit & { readonly batch: Batch }> {
    const { controls, engine } = this.policy;
    const rule = findRule(controls.rule as string);
    await Promise.all([engine.prepare(rule), this.runCustomRules([rule.name], batch.groups)]);
    const exact = new ExactCredit(batch, controls, this.environment.maxTurns);
    const credit = await engine.judge(planCredit(batch, rule, exact, engine.config.context));
    return { batch, controls, exact, credit };
  }

  /**
   * Computes the gradient of the mean of advantage · log π over the policy tokens of a batch. At the policy that sampled
   * the tokens, it is also the gradient of the clipped surrogate.
   * @param advantage [turns of the forest] turns with advantage 0 or NaN add nothing
   * @returns [parameters] the direction that increases the mean; zeros if no turn has an advantage
   */
  gradient({ rollouts, policyTokens }: RolloutBatch, advantage: ArrayLike<number>): Promise<Float32Array> {
    const sequences = rollouts.map(({ tokens, turnOf, turns }): Sequence => {
      const weights = Float32Array.from(turnOf, (turn) =>
        turn < 0 ? 0 : (advantage[turns[turn].forestTurn] || 0) / policyTokens,
      );
      return { tokens, weights, credits: turnOf, slot: 0 };
    });
    return this.policy.engine.gradient(sequences);
  }

  /**
   * Computes the probabilities of the next token under the current policy, at the temperature of the run.
   * @param contexts contexts of the policy, as tokens
   * @returns [contexts][vocabulary]
   */
  tokenProbabilities(contexts: readonly (readonly number[])[]): Promise<readonly (readonly number[])[]> {
    const { vocabulary } = this.environment;
    return nextTokens(this.policy.engine, contexts, vocabulary.size, this.controls.temperature as number);
  }
}

/** First key of the draws, separate from other evaluations, and number of keys per measurement, one per batch. */
const KEYS = 0x1000_0000;
const BATCHES = 16;
/**
 * Number of draws per requested task. Tasks are drawn with replacement, and this number results in enough distinct
 * tasks.
 */
const DRAWS = 4;

/** Members of a measurer that a measurement on held-out tasks needs. */
type Sampler = Pick<Measurer, 'environment' | 'seed' | 'step' | 'capacityFor' | 'play'>;

/** Returns true if the policy is measured on held-out tasks before an update. */
export function measuredAt(step: number, { heldOutMode, heldOutEvery }: ParameterValues): boolean {
  return heldOutMode !== 'off' && step % (heldOutEvery as number) === 0;
}

/**
 * Measures the current policy on held-out tasks with the sampling of evaluations. The run does not change. The tasks
 * are the same throughout a run, and the draws depend on the step, so a resumed run repeats the same measurements.
 * @returns metrics by name; null if there are no held-out tasks (for example among custom tasks), unless `heldOutMode`
 *   is `on`
 * @throws the error of the environment, if `heldOutMode` is `on` and there are no held-out tasks
 */
export async function measureHeldOut(
  sampler: Sampler,
  { heldOutMode, heldOutTasks }: ParameterValues,
): Promise<Metrics['heldOut']> {
  const { heldOut, heldOutAttempts, evaluation } = ENVIRONMENTS[environmentName(sampler.environment.name)];
  if (heldOut.length === 0) return null;
  let tasks: readonly unknown[];
  try {
    tasks = sampleEvaluationTasks(sampler, heldOutTasks as number);
  } catch (error) {
    if (heldOutMode === 'on') throw error;
    return null;
  }
  const sampling = { temperature: 1, topP: 1, topK: 0, ...evaluation };
  const turns = heldOutAttempts && (sampler.environment.attemptTurns?.(heldOutAttempts) ?? heldOutAttempts);
  const play = turns === undefined ? {} : { play: { mode: 'evaluate', maxTurns: turns } as const };
  const size = sampler.capacityFor(turns ?? 1);
  const batches: RolloutBatch[] = [];
  for (let first = 0; first < tasks.length; first += size) {
    const key = KEYS + sampler.step * BATCHES + batches.length;
    batches.push(await sampler.play(tasks.slice(first, first + size), key, { ...play, sampling }));
  }
  const episodes = { trajectories: batches.flatMap((batch) => batch.trajectories) };
  return Object.fromEntries(heldOut.map(({ name, ofEpisodes }) => [name, ofEpisodes(episodes)]));
}

/** Returns distinct held-out tasks of a run, at most `count`. */
function sampleEvaluationTasks({ environment, seed }: Sampler, count: number): readonly unknown[] {
  const random = new CounterRandom(seed, STREAMS.evaluation, KEYS);
  return [...new Set(environment.sampleTasks(random, DRAWS * count, 'held-out'))].slice(0, count);
}
