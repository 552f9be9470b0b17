import type { ChoiceParameter, NumberParameter, Values } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { countRollouts, siblingValues } from '../../arithmetic/chains.ts';
import { NORMALIZATION, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import {
  INTER,
  INTRA,
  type ResponseGroup,
  responseGroups,
  retainedTurns,
  turnBudget,
} from '../../arithmetic/responseGroups.ts';
import { advantage, bySize, countOf, normalizeStage, reward, SUM_TIE } from '../../gpu/batchArrays.ts';
import {
  checkTurnBudget,
  continued,
  deepestTurn,
  groupRollouts,
  levelCount,
  levelOf,
  responses,
} from '../../gpu/batchResponses.ts';
import { PRUNING_STAGES, retained } from '../../gpu/pruningStages.ts';
import { type Stage, scratch } from '../../gpu/stage.ts';
import { type Credit, type CreditRule, creditRule } from '../../rule.ts';

// Shared parts of Murphy's two rules. Feedback trees, pruned or not, are backed up from the leaves. The backed-up
// reward of a turn is then normalised within its response group. The rules differ in the combination of a turn with its
// continuations.

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
const MURPHY_PARAMETERS = [INTRA, INTER, MAX_TURNS, ...NORMALIZATION] as const;
export type MurphyValues = Values<typeof MURPHY_PARAMETERS>;

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
function murphyCredit(group: Group, values: MurphyValues, backup: Backup): Credit {
  const normalization = normalizationOf(values);
  const { compared, credited, below } = backUp(group, values, backup);
  const rollouts = countRollouts(group);
  const none = () => new Float64Array(group.turns.length).fill(NaN);
  const [A, mean, std] = [none(), none(), none()];
  for (const { members } of compared) {
    const normalized = normalize(
      members.map((turn) => credited[turn]),
      normalization,
      rollouts,
    );
    members.forEach((turn, position) => {
      A[turn] = normalized.advantage[position];
      mean[turn] = normalized.mean;
      std[turn] = normalized.std;
    });
  }
  return { advantage: A, intermediate: { credited, below, mean, std } };
}

/** Returns the backed-up rewards of the members of each retained response group. */
function murphyCompared(group: Group, values: MurphyValues, backup: Backup): number[][] {
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

const MURPHY_ARRAYS = { outputs: { credited }, retained } satisfies Pick<CreditRule, 'outputs' | 'retained'>;

/** Uniforms of tree_backup.wgsl that the rules set. */
type BackupUniforms = Readonly<Record<'mean' | 'gamma' | 'components', number>>;

/**
 * Creates the stages of one of Murphy's rules.
 * @param tie relative tolerance within which the members of a response group are equal (NormalizeOptions)
 */
function murphyStages<Values extends MurphyValues>(
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
    normalizeStage(responses, credited, advantage, { retained, tie, magnitude, rollouts: groupRollouts }),
  ];
}

const BEST: Backup = {
  below: (backedUpRewards) => backedUpRewards.reduce((maximum, R) => Math.max(maximum, R)),
  combine: (R, below) => Math.max(R, below),
};

/** Murphy-MaRS, the maximum reward strategy of the paper. */
export const murphyMars = creditRule({
  name: 'murphy-mars',
  title: 'Murphy-MaRS',
  family: 'tree',
  input: 'forest',
  reads: [],
  rewards: 'attempts',
  turns: 'attempts',
  unit: 'turn',
  parameters: MURPHY_PARAMETERS,
  laws: {
    parameters: { epsilon: 0 },
    shift: ['reward'],
    scale: 'same',
    zeroSums: ({ advantage }, group) => siblingValues(group, advantage),
  },

  credit: (group, values) => murphyCredit(group, values, BEST),
  compared: (group, values) => murphyCompared(group, values, BEST),

  ...MURPHY_ARRAYS,
  // Backed-up rewards are rewards of the input, so equal rewards are also equal in float32.
  stages: murphyStages(() => ({ mean: 0, gamma: 1, components: 0 }), 0),
});

const GAMMA = {
  kind: 'number',
  name: 'gamma',
  control: 'mersGamma',
  label: 'Weight of continuations',
  symbol: 'γ',
  default: 0.9,
  min: 0,
  max: 1,
  step: 0.05,
  help: 'Weight of the mean reward of the continuations of a turn. At 0 a continued turn has only its own reward, divided by Z.',
} as const satisfies NumberParameter;

const NORMALIZER = {
  kind: 'choice',
  name: 'normalizer',
  control: 'mersNormalizer',
  label: 'Divisor of continued turns',
  symbol: 'Z',
  default: 'depth',
  options: ['depth', 'components'],
  help: 'Z: the turns that remain in the budget, including this one (depth), or 2, the number of summands (components). They agree for two turns.',
} as const satisfies ChoiceParameter;

const PARAMETERS = [GAMMA, NORMALIZER, ...MURPHY_PARAMETERS] as const;

function discountedMean({ gamma, normalizer }: Values<typeof PARAMETERS>): Backup {
  return {
    below: (backedUpRewards) => backedUpRewards.reduce((sum, R) => sum + R, 0) / backedUpRewards.length,
    combine: (R, below, left) => (R + gamma * below) / (normalizer === 'depth' ? left : 2),
  };
}

/** Murphy-MeRS, the mean reward strategy of the paper. */
export const murphyMers = creditRule({
  name: 'murphy-mers',
  title: 'Murphy-MeRS',
  family: 'tree',
  input: 'forest',
  reads: [],
  rewards: 'attempts',
  turns: 'attempts',
  unit: 'turn',
  parameters: PARAMETERS,
  // Rewards have no shift law, because Z divides only turns with continuations.
  laws: {
    parameters: { epsilon: 0, gamma: 0.5 },
    scale: 'same',
    zeroSums: ({ advantage }, group) => siblingValues(group, advantage),
  },

  credit: (group, values) => murphyCredit(group, values, discountedMean(values)),
  compared: (group, values) => murphyCompared(group, values, discountedMean(values)),

  ...MURPHY_ARRAYS,
  stages: murphyStages(
    ({ gamma, normalizer }: Values<typeof PARAMETERS>) => ({
      mean: 1,
      gamma,
      components: Number(normalizer === 'components'),
    }),
    SUM_TIE,
  ),
});
