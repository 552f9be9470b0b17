import { degenerate } from '../../credit/arithmetic/degenerate.ts';
import { findRule } from '../../credit/rules.ts';
import type { ReportLine } from '../../engine/shared.ts';
import type { UpdateReport, UsedCredit } from '../../engine/updatePlan.ts';
import type { AnyEnvironment } from '../../environments/environment.ts';
import { countFacts } from '../../environments/fact.ts';
import { ENVIRONMENTS, type RegisteredEnvironment } from '../../environments/registry.ts';
import {
  casesOf,
  comparedRule,
  type ReportedTurn,
  type TurnMark,
  type WatchedTurns,
} from '../../environments/watchedTurns.ts';
import { batchMetrics } from '../../metrics/metricTable.ts';
import { mean } from '../../metrics/rows/rollouts.ts';
import { square } from '../../numbers/exponential.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RolloutBatch, RolloutTurn } from '../../rollouts/rolloutBatch.ts';
import { environmentName } from '../data/configurationTables.ts';
import type { Metrics } from '../data/protocol.ts';
import { type ExactCredit, runParameters, selectTurns } from './planUpdate.ts';

/** Wall-clock times of one update [ms], and its number of tokens. */
export interface Times {
  readonly stepMs: number;
  readonly generateMs: number;
  readonly updateMs: number;
  /** Number of tokens that the update trained on, summed over its epochs. */
  readonly trainedTokens: number;
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
  // The order of the columns in files.
  const { tasks, turns, ...ofBatch } = batchMetrics(batch);
  return {
    step: batch.step,
    rule: rule.label ?? rule.name,
    ...{ toolUse: null, retrieval: null, answer: null, format: null, searches: null },
    ...Object.fromEntries(Object.entries(environmentMetrics).map(([name, count]) => [name, count(batch)])),
    ...ofBatch,
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
    tasks,
    turns,
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

/** Returns the names of the sums of one case. */
const keysOf = (name: string) => [`${name}Count`, `${name}Credit`, `${name}Compared`] as const;

/** Returns the names of the sums of a mark: number and absolute advantages of its turns, and those of all turns. */
const markKeys = ({ name }: TurnMark) =>
  [`${name}Count`, `${name}Size`, `${name}ComparedSize`, 'size', 'comparedSize'] as const;

/** Advantages of an update, under the active rule and under another rule. */
export interface Pay {
  /** [turns of the forest] advantages as the update used them. */
  readonly advantages: Float32Array;
  /** Returns [turns of the group] the advantages of a group under the other rule. */
  readonly compared: (group: number) => ArrayLike<number>;
  /** [turns of the forest] 1 if the update trained on the turn; undefined if it trained on all turns (selectTurns). */
  readonly learned?: Uint8Array | undefined;
}

/**
 * Sums the credit of turns in an update by the result of the turns. Each case has the number of its turns and the sums
 * of their advantages under the active rule and under another rule. A turn that the update left out has no credit under
 * either rule. `tiedCount` is the number of turns in groups without credit on any reported turn. A mark has the number
 * of its turns and the sum of their absolute advantages; the same sum is also computed over all turns.
 *
 * If one token of turn 1 decides, `push` is the direction in which the update moves the probability p of the action.
 * Let s = 1 if the action was taken and 0 otherwise. A policy gradient moves the deciding logit by the mean of A (s -
 * p), and p by p (1 - p) times this mean. The step size is left out. So only the sign of `push` and its size relative
 * to its standard error `pushNoise` are significant (docs/learn/why.md). `probabilityNoise` is the standard error of
 * the mean of p.
 */
export function turnPay(
  watched: WatchedTurns,
  batch: Pick<RolloutBatch, 'forest' | 'rollouts' | 'trajectories'>,
  { advantages, compared: other, learned }: Pay,
): Readonly<Record<string, number>> {
  const { mark } = watched;
  const cases = casesOf(watched);
  const keys = [...cases.flatMap(({ name }) => keysOf(name)), ...(mark ? markKeys(mark) : [])];
  const sums: Record<string, number> = Object.fromEntries(keys.map((key) => [key, 0]));
  const add = (names: readonly string[], values: readonly number[]) => {
    for (const [index, name] of names.entries()) sums[name] += values[index];
  };
  const reported = collectReported(watched, batch);
  const nonzeroGroups = new Set<number>();
  const groups: number[] = [];
  for (const entry of reported.values()) {
    const match = cases.find(({ holds }) => holds(entry));
    if (!match) continue;
    const at = entry.turn.forestTurn;
    const left = learned?.[at] === 0;
    const advantage = left ? 0 : advantages[at];
    const compared = left ? 0 : number(other(entry.index)[at - batch.forest.groupOffset[entry.index]]);
    add(keysOf(match.name), [1, advantage, compared]);
    if (mark) {
      const [count, ...sizes] = markKeys(mark);
      add(sizes.slice(2), [Math.abs(advantage), Math.abs(compared)]);
      if (mark.holds(entry)) add([count, ...sizes.slice(0, 2)], [1, Math.abs(advantage), Math.abs(compared)]);
    }
    groups.push(entry.index);
    if (advantage !== 0) nonzeroGroups.add(entry.index);
  }
  const tiedCount = groups.filter((group) => !nonzeroGroups.has(group)).length;
  const sometimes = watched.kinds.flatMap((kind) => (kind.sometimes ? kind.cases : []));
  if (sometimes.every(({ name }) => sums[`${name}Count`] === 0)) {
    for (const key of sometimes.flatMap(({ name }) => keysOf(name))) delete sums[key];
  }
  return {
    ...sums,
    tiedCount,
    ...(watched.decided ? pushOf(decidedIn(watched, batch.rollouts, advantages, reported)) : {}),
  };
}

/** Replaces NaN, the advantage of a pruned turn, by 0. */
const number = (value: number) => (Number.isNaN(value) ? 0 : value);

/** Reported turn with the index of its group. */
interface TurnReport extends ReportedTurn {
  /** Index of the group in the batch. */
  readonly index: number;
}

/** Returns the distinct reported turns by their index in the forest. */
function collectReported(
  { of }: WatchedTurns,
  { trajectories }: Pick<RolloutBatch, 'trajectories'>,
): ReadonlyMap<number, TurnReport> {
  const reported = new Map<number, TurnReport & { readonly after: RolloutTurn[] }>();
  const groups = new Map<number, Set<RolloutTurn>>();
  for (const { group, turns } of trajectories) {
    groups.set(group, new Set([...(groups.get(group) ?? []), ...turns]));
  }
  const lists = new Map([...groups].map(([group, turns]) => [group, [...turns]]));
  for (const { group: index, turns } of trajectories) {
    const selected = of === 'all turns' ? turns : turns.slice(0, 1);
    for (const [position, turn] of selected.entries()) {
      const known = reported.get(turn.forestTurn);
      const after = turns.slice(position + 1);
      if (known) known.after.push(...after.filter((candidate) => !known.after.includes(candidate)));
      else {
        reported.set(turn.forestTurn, {
          index,
          turn,
          before: turns.slice(0, position),
          after,
          group: lists.get(index) ?? [],
        });
      }
    }
  }
  return reported;
}

/** Returns one entry per rollout with a decision: the probability p of the action, and A (s - p). */
function decidedIn(
  { kinds }: WatchedTurns,
  rollouts: RolloutBatch['rollouts'],
  advantages: Float32Array,
  reported: ReturnType<typeof collectReported>,
) {
  const starting = kinds.flatMap(({ starts, cases }) => (starts ? cases : []));
  return rollouts.flatMap(({ toolProbability: p, turns: [{ forestTurn }] }) => {
    const first = reported.get(forestTurn);
    const isChosen = first && starting.some(({ holds }) => holds(first));
    return p === undefined || !first ? [] : [{ p, pull: advantages[forestTurn] * (Number(isChosen) - p) }];
  });
}

function pushOf(decided: ReturnType<typeof decidedIn>) {
  const count = decided.length;
  if (count === 0) return { push: 0, pushNoise: 0, probabilityNoise: 0 };
  const mean = (value: (entry: (typeof decided)[number]) => number) =>
    decided.reduce((sum, entry) => sum + value(entry), 0) / count;
  const slope = mean(({ p }) => p * (1 - p));
  const pull = mean((entry) => entry.pull);
  const probability = mean(({ p }) => p);
  const errorOf = (squares: number) => Math.sqrt(squares / count);
  return {
    push: slope * pull,
    pushNoise: slope * errorOf(mean((entry) => square(entry.pull - pull))),
    probabilityNoise: errorOf(mean(({ p }) => square(p - probability))),
  };
}

/**
 * Returns the credit of turns. If a token of turn 1 decides, the turn has the advantage of this token. Under a token
 * rule, it differs from the mean over the turn.
 * @param index returns the index of the deciding token among the tokens of turn 1; below 0 if no token decides
 * @returns [turns of the forest] equal to `turns` except for first turns with a deciding token
 */
export function decidingCredit(
  { rollouts }: Pick<RolloutBatch, 'rollouts'>,
  { turns, tokens }: Pick<UsedCredit, 'turns' | 'tokens'>,
  index: (first: readonly number[]) => number,
): Float32Array {
  if (!tokens) return turns;
  const deciding = turns.slice();
  let start = 0;
  for (const { tokens: written, turnOf, turns: rolloutTurns } of rollouts) {
    const at = index(Array.from(written).filter((_, position) => turnOf[position] === 0));
    if (at >= 0) deciding[rolloutTurns[0].forestTurn] = tokens[start + at];
    start += turnOf.reduce((count, turn) => count + Number(turn >= 0), 0);
  }
  return deciding;
}
