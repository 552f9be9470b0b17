import { ENVIRONMENT_LIST } from '../../environments/registry.ts';
import type { Group, Turn } from '../../rollouts/forest.ts';
import type { RolloutBatch, RolloutTurn, Trajectory } from '../../rollouts/rolloutBatch.ts';
import type { EnvironmentName } from '../data/configuration.ts';
import type { UsedCredit } from './tokenAdvantages.ts';

/** The numbers of an update by the names of EnvironmentEntry.facts; null where there was nothing to count. */
export type Facts = Readonly<Record<string, number | null>>;

type MakeFacts = (batch: RolloutBatch, credit: UsedCredit) => Facts;

/** What the metrics of an update hold of an environment alone. */
export const FACTS: Readonly<Record<EnvironmentName, MakeFacts>> = {
  ...countedByEnvironment(),
  repair: repairFacts,
  repo: repoFacts,
};

/** Environments that count their facts themselves, from the episodes alone; none where they say nothing. */
function countedByEnvironment(): Record<EnvironmentName, MakeFacts> {
  const counts = ENVIRONMENT_LIST.map(({ name, count }) => [
    name,
    ({ trajectories }: RolloutBatch) => count?.(trajectories) ?? {},
  ]);
  return Object.fromEntries(counts);
}

/** Float32 rewards less their mean are seldom exactly 0. */
const ZERO = 1e-6;

function repairFacts({ groups, trajectories }: RolloutBatch): Facts {
  const turns = trajectories.flatMap(({ turns }) => turns);
  const all = [...new Set(turns)];
  const first = [...new Set(trajectories.map(({ turns }) => turns[0]))];
  const second = [...new Set(trajectories.flatMap(({ turns }) => turns.slice(1, 2)))];
  const failed = trajectories.filter(({ turns }) => !has(turns[0], 'solved'));
  const repaired = new Set(failed.filter(({ turns }) => has(turns.at(-1), 'solved')).map(({ turns }) => turns[0]));
  const tried = new Set(failed.filter(({ turns }) => turns.length > 1).map(({ turns }) => turns[0]));
  return {
    pass1: meanFact(first, 'solved'),
    pass2: meanFact(second, 'solved'),
    solved: share(trajectories, ({ turns }) => has(turns.at(-1), 'solved')),
    repaired: tried.size === 0 ? null : repaired.size / tried.size,
    passRate: meanFact(first, 'passRate'),
    partial: meanFact(first, 'partial'),
    syntaxErrors: share(all, (turn) => has(turn, 'syntaxError') || has(turn, 'unfinished')),
    degenerate01: share(groups, (_, group) => alike(trajectories, group, ({ turns }) => has(turns.at(-1), 'solved'))),
  };
}

/** How episodes of the repository environment went, whatever credit they got. */
export function repoEpisodes(trajectories: readonly Trajectory[]): Facts {
  const ends = trajectories.map(({ turns }) => turns[turns.length - 1]);
  return {
    solved: share(ends, ({ outcome = 0, facts }) => outcome > 0 && facts.finished > 0),
    steps: mean(trajectories.map(({ turns }) => turns.length)),
    finished: meanFact(ends, 'finished'),
    tested: meanFact(ends, 'tested'),
    edited: meanFact(ends, 'edited'),
    invalid: meanFact(
      trajectories.flatMap(({ turns }) => turns),
      'invalid',
    ),
  };
}

function repoFacts({ groups, forest, trajectories }: RolloutBatch, credit: UsedCredit): Facts {
  const uniform = groups.map((_, group) => alike(trajectories, group, ({ turns }) => turns.at(-1)?.outcome));
  const judged = groups.flatMap((_, group) =>
    uniform[group] ? [] : [...credit.turns.subarray(forest.groupOffset[group], forest.groupOffset[group + 1])],
  );
  return {
    ...repoEpisodes(trajectories),
    zeroAdvantage: share(judged, (advantage) => Math.abs(advantage) <= ZERO),
    sharedStates: sharedStates(groups),
    uniform: share(uniform, (ties) => ties),
  };
}

/** Share of turns in states that two or more trajectories of their group came by. */
function sharedStates(groups: readonly Group[]): number | null {
  const shared = groups.flatMap(({ turns }) => {
    const root = rootsOf(turns);
    const visitors = new Map<string, Set<number>>();
    turns.forEach(({ state = '' }, turn) => {
      visitors.set(state, (visitors.get(state) ?? new Set()).add(root[turn]));
    });
    return turns.map(({ state = '' }) => (visitors.get(state)?.size ?? 0) > 1);
  });
  return share(shared, (is) => is);
}

/** [turns] the first turn of each turn's trajectory. */
function rootsOf(turns: readonly Turn[]): number[] {
  const roots: number[] = [];
  turns.forEach(({ parent }, turn) => {
    roots.push(parent < 0 ? turn : roots[parent]);
  });
  return roots;
}

/** Whether all trajectories of a group have the same value. */
function alike(
  trajectories: readonly Trajectory[],
  group: number,
  value: (trajectory: Trajectory) => unknown,
): boolean {
  return new Set(trajectories.filter((trajectory) => trajectory.group === group).map(value)).size <= 1;
}

function has(turn: RolloutTurn | undefined, fact: string): boolean {
  return (turn?.facts[fact] ?? 0) > 0;
}

function meanFact(turns: readonly RolloutTurn[], fact: string): number | null {
  return mean(turns.map(({ facts }) => facts[fact] ?? 0));
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function share<Member>(members: readonly Member[], holds: (member: Member, index: number) => boolean): number | null {
  return members.length === 0 ? null : members.filter(holds).length / members.length;
}
