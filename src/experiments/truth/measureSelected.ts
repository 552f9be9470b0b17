import { isOfTurns } from '../../credit/rule.ts';
import { saveResult } from '../../credit/rules/custom/customRule.ts';
import { findRule } from '../../credit/rules.ts';
import type { EpisodeOptions } from '../../environments/environment.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { ForestError } from '../../rollouts/forest.ts';
import { layoutOf } from '../../training/collect/batch.ts';
import { batchesOf, continuations, histories } from '../../training/collect/continuations.ts';
import { environmentName } from '../../training/data/configurationTables.ts';
import type {
  GradientReport,
  MeasuredTurn,
  ReportedGroup,
  TruthPlan,
  TruthReport,
  TruthStage,
} from '../../training/data/truthReport.ts';
import type { DisplayedGroup, MeasureTruth, TruthMeasurer } from '../../training/worker/measuring.ts';
import { exactGroup, hasExactValues } from './exactTurns.ts';
import {
  judge,
  measuredGroup,
  type SampledGroup,
  sampledValues,
  type TruthSampler,
  truthReport,
  type World,
} from './measuredGroup.ts';
import { largeBatch, measureGradients } from './measureGradients.ts';
import { batchSize, collectTasks, sequencesOf } from './measureTruth.ts';

/** First keys of the random draws of large batches and of continuations. The measurement command uses smaller keys. */
const LARGE_BATCH_KEYS = 0x1800_0000;
const CONTINUATION_KEYS = 0x2000_0000;
/** Minimum number of continuations of each history in one round. */
const ROUND = 8;
/** Minimum time between two reports during the measurement [ms]. */
const REPORT_MS = 1500;
/** Number of bootstrap draws for the intervals of such a report. */
const DRAWS_SO_FAR = 400;

/**
 * Measures the true advantages of the turns of one displayed group, with continuations under the current policy. The
 * group is evaluated under the controls with which it was sampled. Each round continues all histories, so that all
 * values become more precise during the measurement. If the environment has exact values, there are no continuations.
 * @returns report of the values known at the end; undefined if no values are known
 * @throws {RangeError} if the group lacks a requested turn, if no rule can read the group, or if the group does not fit
 */
export const measureDisplayedGroup: MeasureTruth = async (measurer, source, request, { progress, signal, now }) => {
  const { selectedGroup, missing } = await valued(measurer, source, request.rules);
  const { batch, group } = selectedGroup;
  const chosen = chosenTurns(selectedGroup, request.turns);
  const world = { environment: measurer.environment, controls: selectedGroup.controls, seed: measurer.seed };
  await workOutAll(measurer, selectedGroup, request.rules);
  const { rules, refused, credit } = judgeAll(world, selectedGroup, request.rules, missing);
  const play = findSampling(world);
  const groupHistories = await histories(world.environment, batch.tasks[group], world.controls, batch, group, play);
  const sampledGroup: SampledGroup = { batch, group, histories: groupHistories };
  const selected = historiesOf(sampledGroup, chosen);
  const returns: number[][] = groupHistories.starts.map(() => []);
  const plan: TruthPlan = {
    ...{ rules, groups: 1, continuations: request.continuations, split: 'train', ties: 'keep' },
    ...{ gradientGroups: request.gradientGroups, counts: request.counts },
  };
  const about: ReportedGroup = {
    ...{ step: batch.step, policyStep: measurer.step, group, sampleOnly: selectedGroup.sampleOnly },
    ...{ turns: batch.groups[group].turns.length, chosen: chosen.size, refused },
  };
  const roots = rootsOf(sampledGroup);
  const exact = hasExactValues(measurer)
    ? await exactGroup(measurer, batch.tasks[group], sampledGroup, plan.counts, world.controls)
    : undefined;
  const measured = () =>
    measuredGroup(plan.counts, sampledGroup, exact ?? sampledValues(world, returns), credit, chosen);
  const report = (gradients?: GradientReport, draws?: number): TruthReport | undefined => {
    const result = measured();
    if (result.turns.length === 0) return undefined;
    const known = returns.filter(({ length }) => length > 0);
    const samples = known.reduce((sum, { length }) => sum + length, 0);
    const counted = {
      drawn: 1,
      histories: exact?.counted ?? known.length,
      continuations: samples,
      selectedGroup: about,
    };
    const clusterOf = ({ forestTurn }: MeasuredTurn) => roots[forestTurn];
    return truthReport(world, plan, counted, [result], gradients, { clusterOf, ...(draws ? { draws } : {}) });
  };

  const sequences = sequencesOf(measurer);
  const starts = selected.map((at) => groupHistories.starts[at]);
  const rounds = exact ? [] : roundsOf(plan.continuations, Math.ceil(measurer.capacityFor(sequences) / starts.length));
  const batches = (count: number) => batchesOf({ starts, count, sequences }, measurer);
  const sampler = createSampler(measurer, world, play);
  const large = plan.gradientGroups > 0 ? largeBatch(plan.gradientGroups, batchSize(sampler)).length + 1 : 0;
  const total = rounds.reduce((sum, count) => sum + batches(count), large);
  let [done, key, reportedAt] = [0, CONTINUATION_KEYS, now()];
  const reportStage = (stage: TruthStage) => progress({ stage, done: ++done, total });
  for (const count of rounds) {
    const these = { starts, count, counts: plan.counts, sequences, key };
    const more = await continuations(measurer, these, signal, () => reportStage('continuations'));
    more.forEach((list, at) => {
      returns[selected[at]].push(...list);
    });
    key += batches(count);
    if (signal.aborted) return report();
    if (done === total || now() - reportedAt < REPORT_MS) continue;
    const known = report(undefined, DRAWS_SO_FAR);
    if (known) await progress({ stage: 'continuations', done, total, report: known });
    reportedAt = now();
  }
  const gradients = await measureGradients(sampler, [sampledGroup], [measured()], plan, {
    play: (number, count) => collectTasks(sampler, plan, LARGE_BATCH_KEYS + number, count),
    capacity: large > 0 ? batchSize(sampler) : 1,
    signal,
    onSampled: () => reportStage('gradients'),
  });
  return report(gradients);
};

function chosenTurns({ batch, group }: DisplayedGroup, turns: readonly number[] | undefined): ReadonlySet<number> {
  const { length } = batch.groups[group].turns;
  const missing = turns?.find((turn) => !(turn >= 0 && turn < length));
  if (missing !== undefined) throw new RangeError(`the group has ${length} turns, and no turn ${missing}`);
  return new Set(turns ?? Array(length).keys());
}

/** Computes custom rules in the sandbox. If a rule cannot read the group, `judgeAll` reports the reason. */
async function workOutAll(
  measurer: TruthMeasurer,
  { batch, group }: DisplayedGroup,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    await measurer.runCustomRules([name], [batch.groups[group]]).catch((error: unknown) => {
      if (!(error instanceof ForestError)) throw error;
      saveResult(name, batch.groups[group], error);
    });
  }
}

/** Returns the group with the values of a critic if a rule requires them. Returns a message if no critic exists. */
async function valued(measurer: TruthMeasurer, displayedGroup: DisplayedGroup, names: readonly string[]) {
  try {
    return {
      selectedGroup: { ...displayedGroup, batch: await measurer.valuedBy(names.filter(ofTurns), displayedGroup.batch) },
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { selectedGroup: displayedGroup, missing: 'it needs a critic, and no critic was trained here' };
  }
}

const ofTurns = (name: string) => isOfTurns(findRule(name));

/**
 * Returns the advantages of the rules that can read the group, and the reasons why the other rules cannot read it.
 * @param missing reason why rules that read values cannot read the group
 */
function judgeAll(world: World, displayedGroup: DisplayedGroup, names: readonly string[], missing: string | undefined) {
  const rules: string[] = [];
  const refused: { rule: string; problem: string }[] = [];
  const credit: Record<string, Float64Array> = {};
  for (const rule of names) {
    try {
      if (!ofTurns(rule)) throw new ForestError({}, 'each token has its own advantage under it');
      if (missing && findRule(rule).reads.includes('values')) throw new ForestError({}, missing);
      Object.assign(credit, judge(world, [rule], displayedGroup));
      rules.push(rule);
    } catch (error) {
      if (!(error instanceof ForestError)) throw error;
      refused.push({ rule, problem: new ForestError({ turn: error.turn, field: error.field }, error.problem).message });
    }
  }
  if (rules.length > 0) return { rules, refused, credit };
  throw new RangeError(
    `no rule can read this group: ${refused.map(({ rule, problem }) => `${rule}: ${problem}`).join('; ')}`,
  );
}

/** Returns the settings with which the group was sampled, if its rule has shorter rollouts than the environment. */
function findSampling({ environment, controls }: World): EpisodeOptions | undefined {
  const known = environment.name in ENVIRONMENTS ? ENVIRONMENTS[environmentName(environment.name)] : { singleTurn: [] };
  const { turns } = layoutOf(findRule(controls.rule as string), controls, known, environment.maxTurns);
  return turns < environment.maxTurns ? { mode: 'train', maxTurns: turns } : undefined;
}

/** Returns a sampler with the controls and the rollout length under which the group was sampled. */
function createSampler(
  measurer: TruthMeasurer,
  { environment, controls }: World,
  play: EpisodeOptions | undefined,
): TruthSampler {
  return {
    environment,
    controls,
    seed: measurer.seed,
    capacityFor: (sequences) => measurer.capacityFor(sequences),
    play: (tasks, key, evaluation) => measurer.play(tasks, key, { controls, ...(play ? { play } : {}), ...evaluation }),
    gradient: (batch, advantage) => measurer.gradient(batch, advantage),
    tokenProbabilities: (contexts) => measurer.tokenProbabilities(contexts),
    runCustomRules: (rules, groups) => measurer.runCustomRules(rules, groups),
    addRuleInputs: (rules, batch, key) => measurer.addRuleInputs(rules, batch, key),
    valuedBy: (rules, batch) => measurer.valuedBy(rules, batch),
  };
}

/** Returns the indices of the histories before and after these turns, in increasing order. */
function historiesOf({ batch, group, histories: { before } }: SampledGroup, chosen: ReadonlySet<number>): number[] {
  const first = batch.forest.groupOffset[group];
  const indices = batch.trajectories
    .filter((trajectory) => trajectory.group === group)
    .flatMap(({ turns }, rollout) =>
      turns.flatMap(({ forestTurn }, turn) =>
        chosen.has(forestTurn - first) ? before[rollout].slice(turn, turn + 2) : [],
      ),
    );
  return [...new Set(indices)].sort((a, b) => a - b);
}

/** Returns [turns of the group] the first turn of the chain or tree that contains the turn. */
function rootsOf({ batch, group }: SampledGroup): number[] {
  const roots: number[] = [];
  batch.groups[group].turns.forEach(({ parent }, turn) => {
    roots.push(parent < 0 ? turn : roots[parent]);
  });
  return roots;
}

/** Returns the number of continuations of each round. @param full number of continuations that fill a batch */
export function roundsOf(count: number, full: number): number[] {
  const size = Math.max(ROUND, full);
  return Array.from({ length: Math.ceil(count / size) }, (_, round) => Math.min(size, count - round * size));
}
