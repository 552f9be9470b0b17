import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { Return } from '../../training/data/truthReport.ts';
import type { TaskName } from './challengeTask.ts';

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
