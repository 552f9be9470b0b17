import { degenerate } from '../../credit/arithmetic/degenerate.ts';
import { findRule } from '../../credit/rules.ts';
import type { ReportLine } from '../../engine/shared.ts';
import type { UpdateReport } from '../../engine/updatePlan.ts';
import type { AnyEnvironment } from '../../environments/environment.ts';
import { countFacts } from '../../environments/fact.ts';
import { ENVIRONMENTS, type RegisteredEnvironment } from '../../environments/registry.ts';
import { comparedRule } from '../../environments/watchedTurns.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RolloutBatch, Trajectory } from '../../rollouts/rolloutBatch.ts';
import { environmentName } from '../data/configurationTables.ts';
import type { Metrics } from '../data/protocol.ts';
import type { ExactCredit } from './exactCredit.ts';
import { selectTurns } from './selection.ts';
import { decidingCredit, runParameters } from './tokenAdvantages.ts';
import { turnPay } from './turnPay.ts';

/** Wall-clock times of one update [ms], and its number of tokens. */
export interface Times {
  readonly stepMs: number;
  readonly generateMs: number;
  readonly updateMs: number;
  /** Number of tokens that the update trained on, summed over its epochs. */
  readonly trainedTokens: number;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Computes the metrics that depend only on the rollouts and not on the environment. */
function batchMetrics({ rollouts, trajectories }: RolloutBatch) {
  const intermediate = ({ turns }: Trajectory) => turns.slice(0, -1).reduce((sum, { reward }) => sum + reward, 0);
  const names = new Set(
    trajectories.flatMap(({ turns }) => turns.flatMap(({ components }) => Object.keys(components))),
  );
  const component = (name: string) =>
    mean(trajectories.map(({ turns }) => turns.reduce((sum, { components }) => sum + (components[name] ?? 0), 0)));
  const probabilities = rollouts.flatMap(({ toolProbability }) => toolProbability ?? []);
  return {
    rewardTurn: mean(trajectories.map(intermediate)),
    rewardOutcome: mean(trajectories.map(({ turns }) => turns.at(-1)?.outcome ?? 0)),
    components: Object.fromEntries([...names].map((name) => [name, component(name)])),
    searchProbability: probabilities.length > 0 ? mean(probabilities) : null,
    entropy: mean(rollouts.flatMap(({ entropy }) => [...entropy].filter((value) => !Number.isNaN(value)))),
  };
}

/** Members of an environment that metrics need. */
type EnvironmentInfo = Pick<AnyEnvironment, 'name' | 'maxTurns' | 'outcomeRange' | 'decision'>;

/**
 * Computes all metrics of an update from its report.
 * @param fill computeUtilization() including this batch
 */
export function updateMetrics(
  batch: RolloutBatch,
  controls: ParameterValues,
  environment: EnvironmentInfo,
  fill: number,
  report: UpdateReport,
  times: Times,
  exact: ExactCredit,
): Metrics {
  const rule = findRule(controls.rule as string);
  const parameters = runParameters(rule, controls, environment.maxTurns);
  const ties = degenerate(batch.groups, rule, parameters, environment.outcomeRange(controls));
  const { minibatches, reference, critic, credit } = report;
  const size = (turn: 0 | -1) =>
    mean(batch.trajectories.map(({ turns }) => Math.abs(credit.turns[turns.at(turn)?.forestTurn ?? 0])));
  const targets = minibatches.reduce((sum, line) => sum + line.targets, 0);
  // 0 while the policy waits for its critic and does not change.
  const perToken = (name: Exclude<keyof ReportLine, 'loss' | 'gradientNorm' | 'targets'>) =>
    targets === 0 ? 0 : minibatches.reduce((sum, line) => sum + line[name], 0) / targets;
  const meanOf = (lines: readonly ReportLine[] | undefined, name: 'loss' | 'gradientNorm') =>
    lines && lines.length > 0 ? mean(lines.map((line) => line[name])) : null;
  const descriptor = ENVIRONMENTS[environmentName(environment.name)];
  const { facts, metrics: environmentMetrics = {} } = descriptor;
  // The GPU has the values of the critic and computes the complete credit of a token rule.
  const getIntermediate = (group: number) => (rule.unit === 'token' ? {} : exact.of(group, rule).intermediate);
  const deciding = () => decidingCredit(batch, credit, environment.decision?.index ?? (() => -1));
  return {
    step: batch.step,
    rule: rule.label ?? rule.name,
    ...{ toolUse: null, retrieval: null, answer: null, format: null, searches: null },
    ...Object.fromEntries(Object.entries(environmentMetrics).map(([name, count]) => [name, count(batch)])),
    ...batchMetrics(batch),
    klOld: perToken('klOld'),
    klOldK3: perToken('klOldK3'),
    klReferenceK1: reference.klReferenceK1 / reference.targets,
    klReference: reference.klReferenceK3 / reference.targets,
    clipLow: perToken('clipLow'),
    clipHigh: perToken('clipHigh'),
    gradientNorm: meanOf(minibatches, 'gradientNorm'),
    loss: meanOf(minibatches, 'loss'),
    parameterDigest: report.parameterDigest,
    valueLoss: meanOf(critic?.minibatches, 'loss'),
    valueGradientNorm: meanOf(critic?.minibatches, 'gradientNorm'),
    explainedVariance: critic?.explainedVariance ?? null,
    degenerate: ties.degenerate,
    degenerateBest: ties.best,
    degenerateWorst: ties.worst,
    degenerateBetween: ties.none,
    advantageFirst: size(0),
    advantageLast: size(-1),
    tasks: batch.groups.length,
    turns: batch.forest.parent.length,
    fill,
    retained: report.retained,
    facts: countFacts(facts, batch, credit.turns, getIntermediate),
    heldOut: null,
    // While the policy waits for its critic, no turn receives credit.
    decision: critic && minibatches.length === 0 ? null : rewardedTurns(batch, controls, descriptor, deciding(), exact),
    tokensPerSecond: (1000 * (batch.policyTokens + times.trainedTokens)) / times.stepMs,
    stepMs: times.stepMs,
    generateMs: times.generateMs,
    updateMs: times.updateMs,
    executeMs: batch.executeMs,
    encodeMs: report.encodeMs,
    creditMs: report.creditMs,
    optimizeMs: report.optimizeMs,
  };
}

/**
 * Returns the credit of the turns that an environment reports, in one update; null if it reports no turns.
 * @param advantages [turns of the forest] advantages that the update used; the advantage of the deciding token if there
 *   is one (decidingCredit)
 */
export function rewardedTurns(
  batch: RolloutBatch,
  controls: ParameterValues,
  environment: RegisteredEnvironment,
  advantages: Float32Array,
  exact: ExactCredit,
): Metrics['decision'] {
  const { watchedTurns } = environment;
  if (!watchedTurns) return null;
  const rule = findRule(controls.rule as string);
  const compared = findRule(comparedRule(environment, rule.name));
  // Turns that are skipped only because their advantage is 0 count here, with credit 0.
  const selection = selectTurns(batch, rule, (group) => exact.of(group, rule), { ...controls, skipZero: 'off' });
  const computeCompared = (group: number) => exact.advantages(group, compared);
  return turnPay(watchedTurns, batch, { advantages, compared: computeCompared, learned: selection?.turns });
}
