import type { NumberParameter, Values } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { NORMALIZATION, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import {
  INTER,
  INTRA,
  type ResponseGroup,
  responseGroups,
  retainedTurns,
  turnBudget,
} from '../../arithmetic/responseGroups.ts';
import { equation, formatNumber, normalizedLines } from '../../explanation/derivation.ts';
import { advantage, bySize, countOf, normalizeStage, reward } from '../../gpu/batchArrays.ts';
import { checkTurnBudget, continued, deepestTurn, levelCount, levelOf, responses } from '../../gpu/batchResponses.ts';
import { PRUNING_STAGES, retained } from '../../gpu/pruningStages.ts';
import { type Stage, scratch } from '../../gpu/stage.ts';
import type { Credit, CreditRule } from '../../rule.ts';

// Shared parts of Murphy's two rules. Feedback trees, pruned or not, are backed up from the leaves. The backed-up
// reward of a turn is then normalised within its response group. The rules differ in the combination of a turn with its
// continuations.

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

/** Parameters of both rules. */
export const MURPHY_PARAMETERS = [INTRA, INTER, MAX_TURNS, ...NORMALIZATION] as const;
export type MurphyValues = Values<typeof MURPHY_PARAMETERS>;

/**
 * Three attempts. The third passes all tests, and each of the others has two continuations. One continuation of the
 * first attempt repairs it. The better continuation of the second attempt reaches the reward of the first attempt.
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
  /**
   * Returns the maximum or the mean of the backed-up rewards of the retained continuations, of which there is at least
   * one.
   */
  readonly below: (credited: readonly number[]) => number;
  /**
   * Returns the backed-up reward of the turn.
   * @param R reward of the turn
   * @param below result of `below` for the continuations
   * @param left S - s + 1: remaining turns of the budget, including this turn
   */
  readonly combine: (R: number, below: number, left: number) => number;
  /** Returns the expression of both functions with substituted numbers. */
  readonly text: (R: number, credited: readonly number[], left: number) => string;
}

/** Backed-up group. Values of pruned turns are NaN. */
interface BackedUp {
  /** Response groups that have retained members, without their pruned members. */
  readonly compared: readonly ResponseGroup[];
  /** Backed-up reward of each turn [turns]. */
  readonly credited: Float64Array;
  /** Result of `Backup.below` for each turn [turns]; NaN if a turn has no retained continuation. */
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

/** Computes the credit of one of Murphy's rules in float64. */
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

/** Returns the steps of the advantage of one turn. */
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

/** Returns the backed-up rewards of the members of each retained response group. */
export function murphyCompared(group: Group, values: MurphyValues, backup: Backup): number[][] {
  const { compared, credited } = backUp(group, values, backup);
  return compared.map(({ members }) => members.map((turn) => credited[turn]));
}

/** Backed-up reward of each turn [turns]. */
const credited = scratch('credited', 'turns');

/**
 * Backed-up magnitude of the rewards of each turn [turns]. Rewards of both signs may cancel, their rounding errors do
 * not.
 */
const magnitude = scratch('magnitude', 'turns');

export const MURPHY_ARRAYS = { outputs: { credited }, retained } satisfies Pick<CreditRule, 'outputs' | 'retained'>;

/** Uniforms of tree_backup.wgsl that the rules set. */
type BackupUniforms = Readonly<Record<'mean' | 'gamma' | 'components', number>>;

/**
 * Creates the stages of one of Murphy's rules.
 * @param tie relative tolerance within which the members of a response group are equal (NormalizeOptions)
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
      // The leaves of the deepest level have no continuations.
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
