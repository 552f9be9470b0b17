import { printable, quoted, some } from './quoting.ts';

/**
 * Forest of turns: the structure of all rollouts. A group contains the turns sampled for one prompt. A turn is one
 * generation by the policy, and `parent` links it to the turn that it continues. Search agents produce chains, and
 * feedback trees produce trees. Groups are JSON Lines on disk (jsonLines.ts) and storage buffers on the GPU.
 */

/** Feedback of an environment for one turn, with the fields that credit rules read. */
export interface TurnFeedback {
  /**
   * Reward of this turn: R^I of an intermediate turn. Most rules read only `outcome` on the last turn. The reward of
   * the last turn is for rules that read the reward of each turn, and is 0 otherwise.
   */
  readonly reward: number;
  /** Reward R^O of the trajectory. Only on its last turn. */
  readonly outcome?: number;
  /** True if the turn ended the task with the best possible outcome. */
  readonly solved?: boolean;
  /** [unit tests] Result of each unit test, 0 or 1, if turns are programs (VeRPO). */
  readonly passed?: readonly number[];
  /**
   * State before the turn, and action of the turn, as short strings. The state describes the parts of the task that the
   * policy has observed. Rules that compare turns from equal states (RTMC) compare these strings.
   */
  readonly state?: string;
  /** State at each granularity of the environment, by its name; `state` is one of them. For views. */
  readonly states?: Readonly<Record<string, string>>;
  readonly action?: string;
  /** True if the turn checked an earlier change of the policy, for example with tests. Some rules add a bonus. */
  readonly validates?: boolean;
  /** True if a limit of turns ended the trajectory. Only on its last turn. For views. */
  readonly truncated?: boolean;
}

/** One turn, as files store it and credit rules read it. Unknown fields are retained. */
export interface Turn extends TurnFeedback {
  /** Index of the parent turn in this group, -1 for a first turn. Parents precede their children. */
  readonly parent: number;
  /** Number of tokens that the policy wrote in this turn. */
  readonly tokens?: number;
  /** Sum of the log-probabilities of the turn's tokens under the policy that wrote them [nats] (TreeGRPO). */
  readonly logProb?: number;
  /** [tokens] Value of the critic at each token of the turn (PPO). */
  readonly values?: readonly number[];
  /**
   * Mean log-probability of the tokens of the right answer before the turn, under the policy that took the turn [nats]
   * (IGPO).
   */
  readonly answerLogProb?: number;
  /** Mean return of continuations that start before the turn: an estimate of V(s_t) (VinePPO). */
  readonly stateValue?: number;
  readonly [field: string]: unknown;
}

/** Fields of a turn that a credit rule can require in addition to its reward and its parent. */
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

/** Kinds of turns: `steps` lead to one outcome; each of the `attempts` is a complete answer with a separate score. */
export type TurnKind = 'steps' | 'attempts';

/** All fields of TurnFeedback, in the order of the files. */
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
 * Returns the fields of TurnFeedback from a value that also has other fields. Undefined fields are left out.
 */
export function pickTurnFeedback(feedback: TurnFeedback): TurnFeedback {
  const names = Object.keys(FEEDBACK_FIELDS) as (keyof TurnFeedback)[];
  const given = names.filter((name) => feedback[name] !== undefined);
  return { reward: feedback.reward, ...Object.fromEntries(given.map((name) => [name, feedback[name]])) };
}

/** Turns of all rollouts sampled for one prompt. */
export interface Group {
  readonly id: string;
  readonly turns: readonly Turn[];
  readonly [field: string]: unknown;
}

/** Batch of groups as a struct of arrays. The turns of a group are adjacent, in the order of the group. */
export interface Forest {
  /** [groups]: source of the fields that few rules read. */
  readonly groups: readonly Group[];
  /** [groups + 1]: group g has the turns groupOffset[g] to groupOffset[g + 1] - 1. */
  readonly groupOffset: Uint32Array;
  /** [turns]: index of the parent in the forest, -1 for a first turn. */
  readonly parent: Int32Array;
  /** [turns]: depth, 0 for a first turn. */
  readonly depth: Uint32Array;
  /** [turns]: reward of each turn. */
  readonly reward: Float64Array;
  /** [turns]: NaN for a turn that is not the last of a trajectory. */
  readonly outcome: Float64Array;
}

/**
 * Checks that each parent is -1 or an earlier turn of the group.
 * @throws {ForestError} that names the first turn with another parent
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

/** Returns [turns]: the indices of the children of each turn, in order. The parents must be checked first. */
export function childrenOf(group: Group): number[][] {
  const children: number[][] = group.turns.map(() => []);
  group.turns.forEach(({ parent }, turn) => {
    if (parent >= 0) children[parent].push(turn);
  });
  return children;
}

/**
 * Returns the trajectories of a group as paths of turn indices from a first turn to a leaf, in the order of the first
 * turns.
 * @param createError creates the error for a turn with several children, if the caller needs another message
 * @throws {ForestError} that names the turn, if a turn has several children or a wrong parent
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

/** Returns true if a turn of the group has several children. */
export function isTree(group: Group): boolean {
  return childrenOf(group).some(({ length }) => length > 1);
}

/**
 * Returns the rollouts of a tree as separate trajectories: each path from a first turn to a leaf, in the order of the
 * leaves. The parents must be checked first.
 */
export function unfolded(group: Group): {
  readonly group: Group;
  /** [turns of the trajectories]: index of each turn in the tree. */
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
 * Creates a forest from groups, in their order. The outcome of a turn with children is left out (NaN), because only
 * leaves end a trajectory.
 * @throws {ForestError} for a wrong parent
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
    // A second pass: the outcomes of all parents are set now.
    for (const { parent } of group.turns) if (parent >= 0) forest.outcome[offset + parent] = NaN;
  });
  return forest;
}

/** Location of an error in a file or batch of groups. Unknown parts are undefined. */
export interface ForestLocation {
  /** Name of the file, or a label such as "standard input". */
  readonly file?: string | undefined;
  /** Line of the file, from 1. */
  readonly line?: number | undefined;
  /** Id of the group. */
  readonly group?: string | undefined;
  /** Index of the turn in its group, from 0. */
  readonly turn?: number | undefined;
  readonly field?: string | undefined;
}

/** Error of groups that cannot be read. The message names the file, line, group, turn and field that are known. */
export class ForestError extends Error {
  readonly line: number | undefined;
  readonly group: string | undefined;
  readonly turn: number | undefined;
  readonly field: string | undefined;

  constructor(
    private readonly location: ForestLocation,
    /** Description of the error, without its location. */
    readonly problem: string,
  ) {
    const { file, line, group, turn, field } = location;
    const parts = [];
    if (file !== undefined) parts.push(file);
    if (line !== undefined) parts.push(`line ${line}`);
    if (group !== undefined) parts.push(`group ${quoted(group)}`);
    if (turn !== undefined) parts.push(`turn ${turn}`);
    if (field !== undefined) parts.push(`field ${quoted(field)}`);
    super(printable(parts.length > 0 ? `${parts.join(', ')}: ${problem}` : problem));
    this.name = 'ForestError';
    this.line = line;
    this.group = group;
    this.turn = turn;
    this.field = field;
  }

  /** Returns the error with a line number. */
  at(line: number): ForestError {
    return new ForestError({ ...this.location, line }, this.problem);
  }

  /** Returns the error with the name of a file. */
  of(file: string): ForestError {
    return new ForestError({ ...this.location, file }, this.problem);
  }
}
