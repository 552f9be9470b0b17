import type { NumberParameter, Values } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { NORMALIZATION, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import { INTER, INTRA, retainedTurns } from '../../arithmetic/pruning.ts';
import { type ResponseGroup, responseGroups, turnBudget } from '../../arithmetic/responseGroups.ts';
import { equation, formatNumber, normalizedLines } from '../../explanation/derivation.ts';
import { advantage, bySize, countOf, normalizeStage, reward } from '../../gpu/batchArrays.ts';
import { checkTurnBudget, continued, deepestTurn, levelCount, levelOf, responses } from '../../gpu/batchResponses.ts';
import { PRUNING_STAGES, retained } from '../../gpu/pruningStages.ts';
import { type Stage, scratch } from '../../gpu/stage.ts';
import type { Credit, CreditRule } from '../../rule.ts';

// Shared parts of Murphy's two rules: feedback trees, pruned or not, are backed up leaves first. The resulting credit
// of a turn is then normalised within its response group. The rules differ in how a turn takes in its continuations.

export const MURPHY_PAPER = {
  title: 'Murphy: Multi-Turn GRPO for Self-Correcting Code Generation',
  reference: 'Ekbote, Lingam et al. 2025, arXiv 2511.07833',
} as const;

const MAX_TURNS = {
  kind: 'number',
  name: 'maxTurns',
  control: false,
  label: 'Turn budget',
  symbol: 'S',
  default: 0,
  min: 0,
  max: 1024,
  step: 1,
  integer: true,
  help: 'Maximum turns of a path; a longer path is an error. At 0 the maximum is the depth of the group.',
} as const satisfies NumberParameter;

/** The parameters that both rules have. */
export const MURPHY_PARAMETERS = [INTRA, INTER, MAX_TURNS, ...NORMALIZATION] as const;
export type MurphyValues = Values<typeof MURPHY_PARAMETERS>;

/**
 * Three attempts. The third passes all tests, and each of the others has two continuations. One continuation of the
 * first attempt repairs it. The second attempt gets as far as the first already was.
 */
export const FEEDBACK_TREE: Group = {
  id: 'feedback tree',
  turns: [
    { parent: -1, reward: 0.5, solved: false },
    { parent: -1, reward: 0, solved: false },
    { parent: -1, reward: 1, solved: true },
    { parent: 0, reward: 1, solved: true },
    { parent: 0, reward: 0.5, solved: false },
    { parent: 1, reward: 0, solved: false },
    { parent: 1, reward: 0.5, solved: false },
  ],
};

/** Combination of a turn with its continuations. */
export interface Backup {
  /** The max or the mean of what the retained continuations are credited with, at least one. */
  readonly below: (credited: readonly number[]) => number;
  /**
   * Returns the backed-up credit of the turn.
   * @param R its reward
   * @param below the result of `below` for its continuations
   * @param left S - s + 1: turns that the budget has left, this one counted
   */
  readonly combine: (R: number, below: number, left: number) => number;
  /** The two with their numbers put in. */
  readonly text: (R: number, credited: readonly number[], left: number) => string;
}

/** A backed-up group; pruned turns are NaN. */
interface BackedUp {
  /** The response groups that have retained members, with those alone. */
  readonly compared: readonly ResponseGroup[];
  /** [turns] */
  readonly credited: Float64Array;
  /** [turns]: NaN where a turn has no retained continuation. */
  readonly below: Float64Array;
}

function backUp(group: Group, values: MurphyValues, { below, combine }: Backup): BackedUp {
  const all = responseGroups(group);
  const S = turnBudget(group, all, values.maxTurns);
  const selected = retainedTurns(group, all, values);
  const compared = all
    .map((responseGroup) => ({ ...responseGroup, members: responseGroup.members.filter((turn) => selected[turn]) }))
    .filter(({ members }) => members.length > 0);

  const result: BackedUp = {
    compared,
    credited: Float64Array.from(group.turns, ({ reward: R }, turn) => (selected[turn] ? R : NaN)),
    below: new Float64Array(group.turns.length).fill(NaN),
  };
  // Leaves first: the continuations of a turn come after the turn.
  for (const { parent, turn, members } of compared.toReversed()) {
    if (parent < 0) continue;
    const s = turn - 1;
    result.below[parent] = below(members.map((member) => result.credited[member]));
    result.credited[parent] = combine(group.turns[parent].reward, result.below[parent], S - s + 1);
  }
  return result;
}

/** The float64 arithmetic of a rule of Murphy's. */
export function murphyCredit(group: Group, values: MurphyValues, backup: Backup): Credit {
  const normalization = normalizationOf(values);
  const { compared, credited, below } = backUp(group, values, backup);
  const none = () => new Float64Array(group.turns.length).fill(NaN);
  const [A, mean, std] = [none(), none(), none()];
  for (const { members } of compared) {
    const normalized = normalize(
      members.map((turn) => credited[turn]),
      normalization,
    );
    members.forEach((turn, position) => {
      A[turn] = normalized.advantage[position];
      mean[turn] = normalized.mean;
      std[turn] = normalized.std;
    });
  }
  return { advantage: A, intermediate: { credited, below, mean, std } };
}

/** The steps of one turn's advantage. */
export function deriveMurphyTurn(
  turn: number,
  group: Group,
  { intermediate: { credited } }: Credit,
  values: MurphyValues,
  { text }: Backup,
): string[] {
  const all = responseGroups(group);
  const responseGroup = all.find(({ members }) => members.includes(turn));
  const selectRetained = (members: readonly number[] = []) =>
    members.filter((member) => !Number.isNaN(credited[member]));
  const continuations = selectRetained(all.find(({ parent }) => parent === turn)?.members).map(
    (member) => credited[member],
  );
  const left = turnBudget(group, all, values.maxTurns) - (responseGroup?.turn ?? 1) + 1;
  const { reward: R } = group.turns[turn];
  const members = selectRetained(responseGroup?.members);
  return [
    continuations.length === 0
      ? `R̂ = ${formatNumber(R)}, because nothing continues it`
      : equation('R̂', text(R, continuations, left), credited[turn]),
    ...normalizedLines({
      symbols: ['A', 'R̂'],
      values: members.map((member) => credited[member]),
      at: members.indexOf(turn),
      normalization: normalizationOf(values),
    }),
  ];
}

/** Backed-up credits of the members of each retained response group. */
export function murphyCompared(group: Group, values: MurphyValues, backup: Backup): number[][] {
  const { compared, credited } = backUp(group, values, backup);
  return compared.map(({ members }) => members.map((turn) => credited[turn]));
}

/** [turns]: what the backup credits a turn with. */
const credited = scratch('credited', 'turns');

/** [turns]: the same of the rewards' magnitudes. Rewards of both signs may cancel, their rounding errors do not. */
const magnitude = scratch('magnitude', 'turns');

export const MURPHY_ARRAYS = { outputs: { credited }, retained } satisfies Pick<CreditRule, 'outputs' | 'retained'>;

/** Uniforms of tree_backup.wgsl that the rules set. */
type BackupUniforms = Readonly<Record<'mean' | 'gamma' | 'components', number>>;

/**
 * The kernels of a rule of Murphy's.
 * @param tie how close the members of a response group must be to count as equal (NormalizeOptions)
 */
export function murphyStages<Values extends MurphyValues>(
  uniforms: (values: Values) => BackupUniforms,
  tie: number,
): readonly Stage<Values>[] {
  return [
    {
      kernel: 'credit/start_backup',
      bindings: { reward, retained, backedUp: credited, magnitude },
      count: countOf('turns'),
      uniforms: ({ maxTurns }, view) => {
        checkTurnBudget(view, maxTurns);
        return {};
      },
    },
    ...PRUNING_STAGES,
    {
      kernel: 'credit/tree_backup',
      bindings: {
        childOffset: responses.offset,
        child: responses.member,
        parent: continued,
        deepest: deepestTurn,
        retained,
        backedUp: credited,
        magnitude,
      },
      // The leaves of the deepest level take in nothing.
      levels: (view) => Math.max(0, levelCount(view) - 1),
      count: (view, level) => levelOf(view, level + 1).count,
      variants: bySize(responses),
      uniforms: (values, view, level) => ({
        first: levelOf(view, level + 1).first,
        maxTurns: values.maxTurns,
        ...uniforms(values),
      }),
    },
    normalizeStage(responses, credited, advantage, { retained, tie, magnitude }),
  ];
}
