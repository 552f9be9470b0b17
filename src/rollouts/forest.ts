import { ForestError } from './forestError.ts';
import { some } from './quoting.ts';

/**
 * The forest of turns: the one structure that carries rollouts about. A group is everything sampled for one prompt,
 * a turn is one generation by the policy, and `parent` links a turn to the one it continues. Search agents make
 * chains, feedback trees make trees. On disk the same thing is JSON Lines (jsonLines.ts), on the GPU the same arrays
 * are storage buffers.
 */

/** Description of a turn: the part of an environment's result that credit rules read. */
export interface TurnFeedback {
  /**
   * The turn's own reward: R^I of an intermediate turn. On the last turn, which most rules judge by `outcome` alone, 0
   * or, for the rules that read every turn's own reward, the last turn's.
   */
  readonly reward: number;
  /** The trajectory's reward R^O, on the last turn of a trajectory. */
  readonly outcome?: number;
  /** The turn ended the task with the best possible outcome. */
  readonly solved?: boolean;
  /** Result of each unit test, 0 or 1, where turns are programs (VeRPO). */
  readonly passed?: readonly number[];
  /**
   * Parts of the task that the policy had seen when it took the turn, and its action, as short strings. Rules that look
   * for common states (RTMC) compare turns with equal strings.
   */
  readonly state?: string;
  /** The same state at every granularity that the environment knows, by its name; `state` is one of them. For views. */
  readonly states?: Readonly<Record<string, string>>;
  readonly action?: string;
  /** The turn checked a change that the policy had made, by running tests for example; some rules pay a bonus for it. */
  readonly validates?: boolean;
  /** On the last turn of a trajectory: a limit of turns ended it before the policy did. For views. */
  readonly truncated?: boolean;
}

/** One turn, as on disk and as credit rules read it. Unknown fields are retained. */
export interface Turn extends TurnFeedback {
  /** Index of the parent turn in this group, -1 for a first turn; parents are listed before their children. */
  readonly parent: number;
  /** Number of tokens that the policy wrote in this turn. */
  readonly tokens?: number;
  /** Log-probability of those tokens under the policy that wrote them, their sum; nats (TreeGRPO). */
  readonly logProb?: number;
  /** The critic's value at each of those tokens (PPO). */
  readonly values?: readonly number[];
  /**
   * Mean log-probability of the tokens of the right answer under the policy that took the turn, were it asked for before the
   * turn; nats (IGPO).
   */
  readonly answerLogProb?: number;
  /** Mean return of episodes that the policy played on from before the turn: an estimate of V(s_t) (VinePPO). */
  readonly stateValue?: number;
  readonly [field: string]: unknown;
}

/** Fields of a turn that credit rules may need in addition to its reward and its parent. */
export const TURN_FIELDS = [
  'outcome',
  'solved',
  'passed',
  'state',
  'action',
  'tokens',
  'logProb',
  'values',
  'answerLogProb',
  'stateValue',
] as const;
export type TurnField = (typeof TURN_FIELDS)[number];

/** Kinds of turns: `steps` towards one outcome, or `attempts`, each a complete answer with a separate score. */
export type TurnKind = 'steps' | 'attempts';

/** The fields of a verdict, all of them, in the order in which files hold them. */
const FEEDBACK_FIELDS: Readonly<Record<keyof TurnFeedback, true>> = {
  reward: true,
  outcome: true,
  solved: true,
  passed: true,
  state: true,
  states: true,
  action: true,
  validates: true,
  truncated: true,
};

/**
 * Returns the fields of a result that credit rules read, without its other fields. Fields that the result lacks are
 * left out.
 */
export function pickTurnFeedback(feedback: TurnFeedback): TurnFeedback {
  const names = Object.keys(FEEDBACK_FIELDS) as (keyof TurnFeedback)[];
  const given = names.filter((name) => feedback[name] !== undefined);
  return { reward: feedback.reward, ...Object.fromEntries(given.map((name) => [name, feedback[name]])) };
}

/** Everything sampled for one prompt. */
export interface Group {
  readonly id: string;
  readonly turns: readonly Turn[];
  readonly [field: string]: unknown;
}

/** A batch of groups as a struct of arrays; all turns of a group are adjacent, in the order of the group. */
export interface Forest {
  /** [groups]: where fields that few rules read are looked up. */
  readonly groups: readonly Group[];
  /** [groups + 1]: turns of group g are groupOffset[g] .. groupOffset[g + 1] - 1. */
  readonly groupOffset: Uint32Array;
  /** [turns]: index of the parent in the whole forest, -1 for a first turn. */
  readonly parent: Int32Array;
  /** [turns]: depth, 0 for a first turn. */
  readonly depth: Uint32Array;
  /** [turns] */
  readonly reward: Float64Array;
  /** [turns]: NaN where a turn is not the last of a trajectory. */
  readonly outcome: Float64Array;
}

/**
 * Checks that every parent is -1 or an earlier turn of the group.
 * @throws {ForestError} naming the turn.
 */
export function checkParents(group: Group): void {
  group.turns.forEach(({ parent }, turn) => {
    if (Number.isInteger(parent) && parent >= -1 && parent < turn) return;
    const expected = turn === 0 ? '-1' : `-1 or an earlier turn (0 to ${turn - 1})`;
    throw new ForestError({ group: group.id, turn, field: 'parent' }, `${parent} is not ${expected}`);
  });
}

/** Returns [turns]: the depth of each turn, 0 for a first turn. */
export function depthsOf({ turns }: Pick<Group, 'turns'>): readonly number[] {
  const depths: number[] = [];
  for (const { parent } of turns) depths.push(parent < 0 ? 0 : depths[parent] + 1);
  return depths;
}

/** [turns]: the indices of the children of each turn, in order. The parents must have been checked. */
export function childrenOf(group: Group): number[][] {
  const children: number[][] = group.turns.map(() => []);
  group.turns.forEach(({ parent }, turn) => {
    if (parent >= 0) children[parent].push(turn);
  });
  return children;
}

/**
 * Returns the trajectories of a group: paths of turn indices from a first turn to a leaf, in the order of the first
 * turns.
 * @param createError error that is thrown at a turn with several children, if the caller has a separate message
 * @throws {ForestError} naming the turn, if a turn has two children or a wrong parent.
 */
export function trajectories(group: Group, createError = branches): number[][] {
  checkParents(group);
  const children = childrenOf(group);
  const branching = children.findIndex((list) => list.length > 1);
  if (branching >= 0) throw createError(group, branching, children[branching]);
  return chains(group, children);
}

function branches({ id }: Group, turn: number, children: readonly number[]): ForestError {
  const problem = `trajectories need turns with at most one child, and turns ${some(children)} all continue this one`;
  return new ForestError({ group: id, turn, field: 'parent' }, problem);
}

function chains(group: Group, children: readonly number[][]): number[][] {
  const paths: number[][] = [];
  group.turns.forEach(({ parent }, first) => {
    if (parent !== -1) return;
    const path = [first];
    for (let next = children[first]; next.length > 0; next = children[next[0]]) path.push(next[0]);
    paths.push(path);
  });
  return paths;
}

/** Returns true if several turns continue one turn. */
export function isTree(group: Group): boolean {
  return childrenOf(group).some(({ length }) => length > 1);
}

/**
 * Returns the rollouts of a tree as separate trajectories: every path from a first turn to a leaf, in the order of the
 * leaves. The parents must have been checked.
 */
export function unfolded(group: Group): {
  readonly group: Group;
  /** [turns of the trajectories]: the turn of the tree that each was. */
  readonly from: readonly number[];
} {
  const turns: Turn[] = [];
  const from: number[] = [];
  childrenOf(group).forEach(({ length }, leaf) => {
    if (length > 0) return;
    const path: number[] = [];
    for (let turn = leaf; turn >= 0; turn = group.turns[turn].parent) path.unshift(turn);
    for (const [position, turn] of path.entries()) {
      turns.push({ ...group.turns[turn], parent: position === 0 ? -1 : turns.length - 1 });
      from.push(turn);
    }
  });
  return { group: { ...group, turns }, from };
}

/**
 * Lays groups out as one struct of arrays, in their order. An outcome on a turn that others continue is left out
 * (NaN): only leaves end a trajectory.
 * @throws {ForestError} for a wrong parent.
 */
export function buildForest(groups: readonly Group[]): Forest {
  const groupOffset = new Uint32Array(groups.length + 1);
  groups.forEach((group, index) => {
    groupOffset[index + 1] = groupOffset[index] + group.turns.length;
  });
  const turns = groupOffset[groups.length];
  const forest: Forest = {
    groups,
    groupOffset,
    parent: new Int32Array(turns).fill(-1),
    depth: new Uint32Array(turns),
    reward: new Float64Array(turns),
    outcome: new Float64Array(turns).fill(NaN),
  };

  groups.forEach((group, index) => {
    checkParents(group);
    const offset = groupOffset[index];
    group.turns.forEach((turn, local) => {
      const at = offset + local;
      if (turn.parent >= 0) {
        forest.parent[at] = offset + turn.parent;
        forest.depth[at] = forest.depth[offset + turn.parent] + 1;
      }
      forest.reward[at] = turn.reward;
      forest.outcome[at] = turn.outcome ?? NaN;
    });
    // Parents are listed before their children, so all outcomes are set and can be reset.
    for (const { parent } of group.turns) if (parent >= 0) forest.outcome[offset + parent] = NaN;
  });
  return forest;
}
