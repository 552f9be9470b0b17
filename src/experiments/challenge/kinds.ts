import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { Return } from '../../training/data/returns.ts';
import type { TaskName } from './challengeTask.ts';

/** Kind of the groups of a task of the challenge. */
export interface Kind {
  readonly environment: EnvironmentName;
  /** In place of those of the opening run; absent if they are the same. */
  readonly settings?: ParameterValues;
  /** In place of those of the opening run. */
  readonly controls: ParameterValues;
  readonly counts: Return;
  /** @param outcomes [rollouts] */
  readonly includes: (group: Group, outcomes: readonly number[]) => boolean;
}

const OUTCOME: Return = { kind: 'outcome', gamma: 1, bonus: 0 };
const differs = (outcomes: readonly number[]) => new Set(outcomes).size > 1;

/** Groups of a decision process of the bandit. @param groupSize rollouts of a group */
const process = (name: 'delayed' | 'recovery' | 'stopping', groupSize: number): Kind => ({
  environment: 'bandit',
  settings: { process: name },
  controls: { groupSize },
  counts: OUTCOME,
  includes: (_, outcomes) => differs(outcomes),
});

/** Share of the later turns of a group whose state another rollout came by too. */
const MEETING = 0.25;

/** The kinds of groups that rules find hard, one a task. */
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

/** Of the turns that are not first ones, the share whose state another rollout came by too. */
export function meeting({ turns }: Group): number {
  const rollout: number[] = [];
  for (const [turn, { parent }] of turns.entries()) rollout.push(parent < 0 ? turn : rollout[parent]);
  const following = turns.flatMap(({ parent, state }, turn) => (parent < 0 ? [] : [{ state, of: rollout[turn] }]));
  const met = following.filter(({ state, of }) =>
    following.some((candidate) => candidate.state === state && candidate.of !== of),
  );
  return met.length / Math.max(1, following.length);
}
