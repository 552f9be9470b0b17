import { findRule } from '../../credit/rules.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Group, Turn } from '../../rollouts/forest.ts';
import { type Layout, layoutOf } from '../../training/collect/batch.ts';
import { continuations, histories } from '../../training/collect/continuations.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import { environmentName, OFFERED } from '../../training/data/configurationTables.ts';
import type { Return } from '../../training/data/truthReport.ts';
import { exactGroup, hasExactValues } from '../truth/exactTurns.ts';
import {
  measuredGroup,
  outcomes,
  type SampledGroup,
  sampledValues,
  type TruthSampler,
} from '../truth/measuredGroup.ts';
import { largeGradient } from '../truth/measureGradients.ts';
import { batchSize, collectTasks, sequencesOf } from '../truth/measureTruth.ts';
import type { ChallengeGroup, ChallengeTask, TaskName } from './challengeTask.ts';

/** Environment, configuration and selection of the groups of a task of the challenge. */
export interface Kind {
  readonly environment: EnvironmentName;
  /** Settings that replace settings of the opening run; absent if none differ. */
  readonly settings?: ParameterValues;
  /** Controls that replace controls of the opening run. */
  readonly controls: ParameterValues;
  readonly counts: Return;
  /** Returns true if a sampled group belongs to the kind. @param outcomes [rollouts] */
  readonly includes: (group: Group, outcomes: readonly number[]) => boolean;
}

const OUTCOME: Return = { kind: 'outcome', gamma: 1, bonus: 0 };
const differs = (outcomes: readonly number[]) => new Set(outcomes).size > 1;

/** Creates a kind for a decision process of the bandit. @param groupSize rollouts per group */
const process = (name: 'delayed' | 'recovery' | 'stopping', groupSize: number): Kind => ({
  environment: 'bandit',
  settings: { process: name },
  controls: { groupSize },
  counts: OUTCOME,
  includes: (_, outcomes) => differs(outcomes),
});

/** Minimum share of the later turns of a group whose state another rollout also visits. */
const MEETING = 0.25;

/** Kinds of groups for which credit assignment is difficult, one per task. */
export const KINDS: Readonly<Record<TaskName, Kind>> = {
  ties: {
    environment: 'search',
    controls: { groupSize: 6 },
    counts: { kind: 'rewards', gamma: 1, bonus: 0 },
    includes: ({ turns }, outcomes) =>
      new Set(outcomes).size === 1 && new Set(turns.map(({ reward }) => reward)).size > 1,
  },
  tree: {
    environment: 'repair',
    controls: { rule: 'murphy-mars', treeRoots: 4, treeChildren: 3 },
    counts: OUTCOME,
    includes: (_, outcomes) => differs(outcomes),
  },
  meeting: {
    environment: 'repo',
    controls: { groupSize: 6 },
    counts: OUTCOME,
    includes: (group, outcomes) => differs(outcomes) && meeting(group) >= MEETING,
  },
  delayed: process('delayed', 4),
  recovery: process('recovery', 8),
  stopping: process('stopping', 8),
};

/** Returns the share of the turns after the first whose state another rollout also visits. */
export function meeting({ turns }: Group): number {
  const rollout: number[] = [];
  for (const [turn, { parent }] of turns.entries()) rollout.push(parent < 0 ? turn : rollout[parent]);
  const following = turns.flatMap(({ parent, state }, turn) => (parent < 0 ? [] : [{ state, of: rollout[turn] }]));
  const met = following.filter(({ state, of }) =>
    following.some((candidate) => candidate.state === state && candidate.of !== of),
  );
  return met.length / Math.max(1, following.length);
}

/** Numbers of groups and continuations to measure. */
export interface TaskPlan {
  readonly groups: number;
  readonly continuations: number;
  readonly gradientGroups: number;
}

interface Hooks {
  /** Called after each group with the number of measured groups. */
  readonly progress?: (done: number) => void;
  readonly signal?: AbortSignal;
}

/** First keys of the random draws of the large batch and of the continuations. The keys of the groups begin at 0. */
const LARGE_BATCH_KEYS = 0x0900_0000;
const CONTINUATION_KEYS = 0x1100_0000;
/** Maximum number of groups sampled per requested group. */
const MAX_DRAWN = 200;
/** Number of significant digits in the file. */
const FIGURES = 5;

type Sampled = SampledGroup & { readonly task: unknown };

/**
 * Samples groups of a task's kind. Measures the true advantage and the separate gradient of each of their turns. The
 * current policy of the trainer is measured and does not change.
 * @returns undefined if the measurement was stopped
 * @throws {RangeError} if too few sampled groups are of the kind
 */
export async function createTask(
  trainer: TruthSampler,
  name: TaskName,
  plan: TaskPlan,
  { progress, signal }: Hooks = {},
): Promise<ChallengeTask | undefined> {
  const { environment, controls, seed } = trainer;
  const { counts } = KINDS[name];
  const capacity = batchSize(trainer);
  const all = { rules: [], ...plan, split: 'train', ties: 'keep', counts } as const;
  const large = await largeGradient(trainer, all, {
    ...{ capacity, signal, onSampled: () => {} },
    play: (batch, count) => collectTasks(trainer, all, LARGE_BATCH_KEYS + batch, count),
  });
  const { sampledGroups, drawn } = await sampleKind(trainer, name, plan.groups, signal);
  const groups: ChallengeGroup[] = [];
  for (const sample of sampledGroups) {
    if (signal?.aborted || !large) return undefined;
    groups.push(await measure(trainer, name, sample, plan, large.gradient, groups.length));
    progress?.(groups.length);
  }
  if (!large) return undefined;
  return {
    ...{ name, environment: environmentName(environment.name), controls, maxTurns: environment.maxTurns, seed, counts },
    ...{
      continuations: hasExactValues(trainer) ? 0 : plan.continuations,
      drawn,
      gradientGroups: plan.gradientGroups,
      halves: short(large.halves),
    },
    groups,
  };
}

function layout({ environment, controls }: TruthSampler): Layout {
  const rule = findRule(controls.rule as string);
  return layoutOf(rule, controls, ENVIRONMENTS[environmentName(environment.name)], environment.maxTurns);
}

async function sampleKind(trainer: TruthSampler, name: TaskName, requested: number, signal?: AbortSignal) {
  const { environment, controls, seed } = trainer;
  const { branching } = layout(trainer);
  const sampledGroups: Sampled[] = [];
  let drawn = 0;
  for (let key = 0; sampledGroups.length < requested && !signal?.aborted; key++) {
    if (drawn >= MAX_DRAWN * requested)
      throw new RangeError(`of ${drawn} groups ${sampledGroups.length} are of the kind ${name}`);
    const [task] = environment.sampleTasks(new CounterRandom(seed, STREAMS.evaluation, 0xb8000000 + key), 1, 'train');
    // Each group is a separate batch, so that the gradients of its turns do not depend on other groups.
    const sampled = await trainer.play([task], key, { branching });
    drawn++;
    if (sampled.groups.length === 0 || !KINDS[name].includes(sampled.groups[0], outcomes(sampled, 0))) continue;
    const batch = await trainer.addRuleInputs(OFFERED[environmentName(environment.name)], sampled, key);
    sampledGroups.push({ task, batch, group: 0, histories: await histories(environment, task, controls, batch, 0) });
  }
  return { sampledGroups, drawn };
}

async function measure(
  trainer: TruthSampler,
  name: TaskName,
  sample: Sampled,
  { continuations: count }: TaskPlan,
  large: Float64Array,
  number: number,
): Promise<ChallengeGroup> {
  const { counts } = KINDS[name];
  const { batch } = sample;
  const [group] = batch.groups;
  const plan = { starts: sample.histories.starts, count, counts, sequences: sequencesOf(trainer) };
  const values = hasExactValues(trainer)
    ? await exactGroup(trainer, sample.task, sample, counts)
    : sampledValues(trainer, await continuations(trainer, { ...plan, key: CONTINUATION_KEYS + number * 0x1_0000 }));
  const { turns, question } = measuredGroup(counts, sample, values, {});
  const sorted = [...turns].sort((a, b) => a.forestTurn - b.forestTurn);
  if (sorted.length !== group.turns.length) throw new Error(`${sorted.length} of ${group.turns.length} turns measured`);
  const gradients: Float32Array[] = [];
  for (const turn of group.turns.keys()) {
    const indicator = new Float64Array(group.turns.length);
    indicator[turn] = 1;
    gradients.push(Float32Array.from(await trainer.gradient(batch, indicator)));
  }
  const length = Math.sqrt(dot(large, large));
  return {
    group: { id: `${name}-${number}`, turns: group.turns.map(bare) },
    question,
    summaries: sorted.map(({ summary }) => summary),
    truth: sorted.map(({ advantage: { mean, error } }) => [short(mean), short(error)] as const),
    products: gradients.map((gradient, turn) =>
      gradients.slice(0, turn + 1).map((previous) => short(dot(gradient, previous))),
    ),
    along: gradients.map((gradient) => short(dot(gradient, large) / length)),
  };
}

/** Returns a turn without the fields that only views read. */
function bare({ states: _, truncated: __, ...turn }: Turn): Turn {
  const known: (keyof Turn)[] = [
    'parent',
    'reward',
    'outcome',
    'solved',
    'passed',
    'state',
    'action',
    'validates',
    'tokens',
    'answerLogProb',
    'stateValue',
  ];
  return Object.fromEntries(
    known.flatMap((field) => (turn[field] === undefined ? [] : [[field, turn[field]]])),
  ) as Turn;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += a[index] * b[index];
  return sum;
}

const short = (value: number) => Number(value.toPrecision(FIGURES));
