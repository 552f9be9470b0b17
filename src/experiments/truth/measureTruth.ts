import { isOfTurns } from '../../credit/rule.ts';
import { findRule } from '../../credit/rules.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { computeMaxSequences, layoutOf } from '../../training/collect/batch.ts';
import { batchesOf, continuations, type Histories, histories } from '../../training/collect/continuations.ts';
import type { MeasuredGroup, TruthPlan, TruthReport } from '../../training/data/truthReport.ts';
import { ExactCredit } from '../../training/update/planUpdate.ts';
import { exactGroup, hasExactValues } from './exactTurns.ts';
import { measuredGroup, outcomes, sampledValues, type TruthSampler, truthReport } from './measuredGroup.ts';
import { largeBatch, measureGradients } from './measureGradients.ts';

export interface TruthHooks {
  /** Called after each batch of continuations or of the large batch, and after each group's gradients. */
  readonly progress?: (done: number, all: number) => void;
  /** Stops between batches. The report contains the groups that are complete. */
  readonly signal?: AbortSignal;
}

/** First keys of the random draws of the large batch and of continuations. The keys of the groups begin at 0. */
const LARGE_BATCH_KEYS = 0x0800_0000;
const CONTINUATION_KEYS = 0x1000_0000;
/** Maximum number of groups sampled per requested group. */
const MAX_DRAWN = 40;

interface Sampled {
  readonly task: unknown;
  readonly batch: RolloutBatch;
  readonly group: number;
  readonly histories: Histories;
}

/**
 * Measures the true advantage of each turn of the sampled groups, and compares the rules' advantages with it. The
 * advantages are exact if the environment has exact values. The current policy of the measurer is measured and does not
 * change.
 * @returns undefined if the measurement was stopped before the first group was complete
 * @throws {RangeError} if a rule assigns advantages to tokens, a critic is missing, a group does not fit, or too few
 * groups have different outcomes
 */
export async function measureTruth(
  measurer: TruthSampler,
  plan: TruthPlan,
  hooks: TruthHooks = {},
): Promise<TruthReport | undefined> {
  for (const name of plan.rules) {
    if (!isOfTurns(findRule(name)))
      throw new RangeError(
        `under the rule ${name} each token has its own advantage, and the measurement needs advantages of turns`,
      );
  }
  const { sampledGroups, drawn } = await sampleGroups(measurer, plan, hooks.signal);
  await measurer.runCustomRules(
    plan.rules,
    sampledGroups.map(({ batch, group }) => batch.groups[group]),
  );
  const sequences = sequencesOf(measurer);
  const size = (sample: Sampled) => ({ starts: sample.histories.starts, count: plan.continuations, sequences });
  const large = batchSize(measurer);
  const isExact = hasExactValues(measurer);
  const all =
    sampledGroups.reduce((sum, sample) => sum + (isExact ? 0 : batchesOf(size(sample), measurer)), 0) +
    (plan.gradientGroups > 0 ? largeBatch(plan.gradientGroups, large).length + sampledGroups.length : 0);
  let [done, key] = [0, CONTINUATION_KEYS];
  const groups: MeasuredGroup[] = [];
  let [starts, samples] = [0, 0];
  for (const sample of sampledGroups) {
    if (isExact) {
      if (hooks.signal?.aborted) break;
      const known = await exactGroup(measurer, sample.task, sample, plan.counts);
      starts += known.counted;
      groups.push(measuredGroup(plan.counts, sample, known, judgeRollouts(measurer, plan.rules, sample)));
      continue;
    }
    const returns = await continuations(measurer, { ...size(sample), counts: plan.counts, key }, hooks.signal, () =>
      hooks.progress?.(++done, all),
    );
    if (returns.some(({ length }) => length < plan.continuations)) break;
    key += batchesOf(size(sample), measurer);
    starts += returns.length;
    samples += returns.length * plan.continuations;
    const values = sampledValues(measurer, returns);
    groups.push(measuredGroup(plan.counts, sample, values, judgeRollouts(measurer, plan.rules, sample)));
  }
  if (groups.length === 0) return undefined;
  const gradients = await measureGradients(measurer, sampledGroups.slice(0, groups.length), groups, plan, {
    play: (batch, count) => collectTasks(measurer, plan, LARGE_BATCH_KEYS + batch, count),
    capacity: large,
    signal: hooks.signal,
    onSampled: () => hooks.progress?.(++done, all),
  });
  return truthReport(measurer, plan, { drawn, histories: starts, continuations: samples }, groups, gradients);
}

/**
 * Returns the advantages of a group under each rule. Rules that read trajectories process a tree path by path
 * (ExactCredit.advantages).
 */
function judgeRollouts({ environment, controls }: TruthSampler, rules: readonly string[], { batch, group }: Sampled) {
  const exact = new ExactCredit(batch, controls, environment.maxTurns);
  return Object.fromEntries(rules.map((name) => [name, exact.advantages(group, findRule(name))] as const));
}

/** Returns the branching of independent rollouts: a group of first turns, then one continuation per turn. */
const chainsOf = ({ controls }: TruthSampler): readonly number[] => [controls.groupSize as number, 1];

/** Returns the branching of the active rule: a tree if the rule reads trees, otherwise chains. */
function branchingOf(measurer: TruthSampler): readonly number[] {
  const { environment, controls } = measurer;
  const rule = findRule(controls.rule as string);
  if (rule.input === 'trajectories') return chainsOf(measurer);
  return layoutOf(rule, controls, { singleTurn: [] }, environment.maxTurns).branching;
}

/**
 * Returns the number of groups that can be sampled at a time.
 * @param branching branching of a group, by default chains
 */
export function batchSize(measurer: TruthSampler, branching: readonly number[] = chainsOf(measurer)): number {
  const size = computeMaxSequences({ branching, turns: measurer.environment.maxTurns });
  const capacity = Math.floor(measurer.capacityFor(sequencesOf(measurer)) / size);
  if (capacity > 0) return capacity;
  throw new RangeError(`a group of ${size} does not fit: there is room for ${measurer.capacityFor()} episodes`);
}

/** Samples groups for tasks that are drawn with this key. */
export async function collectTasks(
  measurer: TruthSampler,
  { split }: TruthPlan,
  key: number,
  count: number,
  branching: readonly number[] = chainsOf(measurer),
) {
  const { environment, seed } = measurer;
  const tasks = environment.sampleTasks(new CounterRandom(seed, STREAMS.evaluation, 0xb0000000 + key), count, split);
  return { tasks, batch: await measurer.play(tasks, key, { branching }) };
}

/** Returns the maximum number of sequences of an episode: one per turn if each turn starts from a fresh prompt. */
export function sequencesOf({ environment }: TruthSampler): number {
  return environment.freshPrompts ? environment.maxTurns : 1;
}

async function sampleGroups(measurer: TruthSampler, plan: TruthPlan, signal?: AbortSignal) {
  const { environment, controls } = measurer;
  const branching = branchingOf(measurer);
  const capacity = batchSize(measurer, branching);
  const sampledGroups: Sampled[] = [];
  const limit = MAX_DRAWN * plan.groups;
  let drawn = 0;
  for (let key = 0; sampledGroups.length < plan.groups && !signal?.aborted; key++) {
    if (drawn >= limit) {
      throw new RangeError(
        `of ${drawn} groups ${sampledGroups.length} ended with different outcomes, and ${plan.groups} are required; ` +
          `request fewer groups, larger groups (groupSize), or keep ties`,
      );
    }
    // Each batch has the same number of tasks, regardless of the number of missing groups. The draws therefore do not
    // depend on the number of requested groups.
    const { tasks, batch: sampled } = await collectTasks(measurer, plan, key, capacity, branching);
    const batch = await measurer.valuedBy(plan.rules, await measurer.addRuleInputs(plan.rules, sampled, key));
    for (let group = 0; group < batch.groups.length && sampledGroups.length < plan.groups; group++) {
      drawn++;
      if (plan.ties === 'skip' && new Set(outcomes(batch, group)).size < 2) continue;
      const task = tasks[group];
      sampledGroups.push({ task, batch, group, histories: await histories(environment, task, controls, batch, group) });
    }
  }
  return { sampledGroups, drawn };
}
