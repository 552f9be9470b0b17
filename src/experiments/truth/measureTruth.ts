import { isOfTurns } from '../../credit/rule.ts';
import { findRule } from '../../credit/rules.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { computeMaxSequences, layoutOf } from '../../training/collect/budget.ts';
import { batchesOf, continuations, type Histories, histories } from '../../training/collect/continuations.ts';
import type { MeasuredGroup, TruthPlan, TruthReport } from '../../training/data/truthReport.ts';
import { ExactCredit } from '../../training/update/exactCredit.ts';
import { exactGroup, hasExactValues } from './exactTurns.ts';
import { measuredGroup, outcomes, sampledValues, truthReport } from './measuredGroup.ts';
import { largeBatch, measureGradients } from './measureGradients.ts';
import type { TruthTrainer } from './truthTrainer.ts';

export type { TruthPlan, TruthReport };

export interface TruthHooks {
  /** After every batch of continuations or of the large batch, and every group's gradients; groups are played before. */
  readonly progress?: (done: number, all: number) => void;
  /** Stops between batches; the groups that are complete by then are reported. */
  readonly signal?: AbortSignal;
}

/** Keys of draws: groups from 0 on, the large batch and continuations from here on. */
const LARGE_BATCH_KEYS = 0x0800_0000;
const CONTINUATION_KEYS = 0x1000_0000;
/** Maximum number of groups drawn for each group that is requested. */
const MAX_DRAWN = 40;

interface Sampled {
  readonly task: unknown;
  readonly batch: RolloutBatch;
  readonly group: number;
  readonly histories: Histories;
}

/**
 * Measures the true advantage of every turn of some groups, and the relation of the rules' advantages to it. Advantages are exact if
 * the environment has exact values. The policy is the one that the trainer holds; nothing is learned.
 * @returns undefined where it was stopped before the first group was complete
 * @throws {RangeError} for a rule that gives each token its own, one whose critic is missing, a group that does not fit, or where too few groups differ
 */
export async function measureTruth(
  trainer: TruthTrainer,
  plan: TruthPlan,
  hooks: TruthHooks = {},
): Promise<TruthReport | undefined> {
  for (const name of plan.rules) {
    if (!isOfTurns(findRule(name)))
      throw new RangeError(
        `under the rule ${name} each token has its own advantage, and the measurement needs advantages of turns`,
      );
  }
  const { sampledGroups, drawn } = await sampleGroups(trainer, plan, hooks.signal);
  await trainer.workOut(
    plan.rules,
    sampledGroups.map(({ batch, group }) => batch.groups[group]),
  );
  const sequences = sequencesOf(trainer);
  const size = (sample: Sampled) => ({ starts: sample.histories.starts, count: plan.continuations, sequences });
  const large = batchSize(trainer);
  const isExact = hasExactValues(trainer);
  const all =
    sampledGroups.reduce((sum, sample) => sum + (isExact ? 0 : batchesOf(size(sample), trainer)), 0) +
    (plan.gradientGroups > 0 ? largeBatch(plan.gradientGroups, large).length + sampledGroups.length : 0);
  let [done, key] = [0, CONTINUATION_KEYS];
  const groups: MeasuredGroup[] = [];
  let [starts, samples] = [0, 0];
  for (const sample of sampledGroups) {
    if (isExact) {
      if (hooks.signal?.aborted) break;
      const known = await exactGroup(trainer, sample.task, sample, plan.counts);
      starts += known.counted;
      groups.push(measuredGroup(plan.counts, sample, known, judgeRollouts(trainer, plan.rules, sample)));
      continue;
    }
    const returns = await continuations(trainer, { ...size(sample), counts: plan.counts, key }, hooks.signal, () =>
      hooks.progress?.(++done, all),
    );
    if (returns.some(({ length }) => length < plan.continuations)) break;
    key += batchesOf(size(sample), trainer);
    starts += returns.length;
    samples += returns.length * plan.continuations;
    const values = sampledValues(trainer, returns);
    groups.push(measuredGroup(plan.counts, sample, values, judgeRollouts(trainer, plan.rules, sample)));
  }
  if (groups.length === 0) return undefined;
  const gradients = await measureGradients(trainer, sampledGroups.slice(0, groups.length), groups, plan, {
    play: (batch, count) => collectTasks(trainer, plan, LARGE_BATCH_KEYS + batch, count),
    capacity: large,
    signal: hooks.signal,
    onSampled: () => hooks.progress?.(++done, all),
  });
  return truthReport(trainer, plan, { drawn, histories: starts, continuations: samples }, groups, gradients);
}

/**
 * Returns the advantages that the rules give to a group. Rules that read trajectories process a tree path by path
 * (ExactCredit.advantages).
 */
function judgeRollouts({ environment, controls }: TruthTrainer, rules: readonly string[], { batch, group }: Sampled) {
  const exact = new ExactCredit(batch, controls, environment.maxTurns);
  return Object.fromEntries(rules.map((name) => [name, exact.advantages(group, findRule(name))] as const));
}

/** First turns of a task, then continuations of a turn. */
const chainsOf = ({ controls }: TruthTrainer): readonly number[] => [controls.groupSize as number, 1];

/** Chains, or trees where the rule among the controls reads them. */
function branchingOf(trainer: TruthTrainer): readonly number[] {
  const { environment, controls } = trainer;
  const rule = findRule(controls.rule as string);
  if (rule.input === 'trajectories') return chainsOf(trainer);
  return layoutOf(rule, controls, { singleTurn: [] }, environment.maxTurns).branching;
}

/** Groups that are played at a time. @param branching chains where absent */
export function batchSize(trainer: TruthTrainer, branching: readonly number[] = chainsOf(trainer)): number {
  const size = computeMaxSequences({ branching, turns: trainer.environment.maxTurns });
  const capacity = Math.floor(trainer.capacityFor(sequencesOf(trainer)) / size);
  if (capacity > 0) return capacity;
  throw new RangeError(`a group of ${size} does not fit: there is room for ${trainer.capacityFor()} episodes`);
}

/** Plays groups of tasks drawn for this key. */
export async function collectTasks(
  trainer: TruthTrainer,
  { split }: TruthPlan,
  key: number,
  count: number,
  branching: readonly number[] = chainsOf(trainer),
) {
  const { environment, seed } = trainer;
  const tasks = environment.sampleTasks(new CounterRandom(seed, STREAMS.evaluation, 0xb0000000 + key), count, split);
  return { tasks, batch: await trainer.play(tasks, key, { branching }) };
}

/** Sequences of an episode: one a turn where turns start from fresh prompts. */
export function sequencesOf({ environment }: TruthTrainer): number {
  return environment.freshPrompts ? environment.maxTurns : 1;
}

async function sampleGroups(trainer: TruthTrainer, plan: TruthPlan, signal?: AbortSignal) {
  const { environment, controls } = trainer;
  const branching = branchingOf(trainer);
  const capacity = batchSize(trainer, branching);
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
    // The number of tasks per batch does not depend on the number of missing groups. So the draws do not depend on the
    // number of requested groups.
    const { tasks, batch: sampled } = await collectTasks(trainer, plan, key, capacity, branching);
    const batch = await trainer.valuedBy(plan.rules, await trainer.readableBy(plan.rules, sampled, key));
    for (let group = 0; group < batch.groups.length && sampledGroups.length < plan.groups; group++) {
      drawn++;
      if (plan.ties === 'skip' && new Set(outcomes(batch, group)).size < 2) continue;
      const task = tasks[group];
      sampledGroups.push({ task, batch, group, histories: await histories(environment, task, controls, batch, group) });
    }
  }
  return { sampledGroups, drawn };
}
