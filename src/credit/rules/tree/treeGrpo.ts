import { exp } from '../../../numbers/exponential.ts';
import type { ChoiceParameter, Values } from '../../../parameters/parameters.ts';
import type { Group, Turn } from '../../../rollouts/forest.ts';
import { checkLogProb, checkTokens, findLeafTurns, siblingValues } from '../../arithmetic/chains.ts';
import { NORMALIZATION, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import { responseGroups } from '../../arithmetic/responseGroups.ts';
import { advantage, bySize, normalizeStage, reward } from '../../gpu/batchArrays.ts';
import { continued, groupLastTurns, lastOutcome, levelCount, levelOf, responses } from '../../gpu/batchResponses.ts';
import { type BatchArray, type Stage, scratch } from '../../gpu/stage.ts';
import { creditRule } from '../../rule.ts';

const WEIGHTS = {
  kind: 'choice',
  name: 'weights',
  control: 'treeWeights',
  label: 'Weights of continuations',
  symbol: 'ℓ',
  default: 'mean',
  options: ['mean', 'sum', 'uniform'],
  help:
    'Input of the softmax that gives the weights: the mean log-probability of the tokens of a turn (mean), their sum (sum, ' +
    'which gives short and likely turns far more weight), or none: equal weights (uniform).',
} as const satisfies ChoiceParameter;

const PARAMETERS = [WEIGHTS, ...NORMALIZATION] as const;
export type TreeValues = Values<typeof PARAMETERS>;
type Weights = TreeValues['weights'];

/** Score ℓ of a turn, by the option `weights`. */
const SCORES: Readonly<Record<Weights, (group: string, turn: number, turnData: Turn) => number>> = {
  mean: (group, turn, turnData) => checkLogProb(group, turn, turnData) / checkTokens(group, turn, turnData),
  sum: checkLogProb,
  uniform: () => 0,
};

/** Computes ℓ of each turn, and w among the turns that continue the same turn [turns]. */
function weigh(group: Group, weights: Weights) {
  const score = Float64Array.from(group.turns, (turn, index) => SCORES[weights](group.id, index, turn));
  const weight = new Float64Array(group.turns.length);
  for (const { members } of responseGroups(group)) {
    const largest = Math.max(...members.map((turn) => score[turn]));
    const total = members.reduce((sum, turn) => sum + exp(score[turn] - largest), 0);
    for (const turn of members) weight[turn] = exp(score[turn] - largest) / total;
  }
  return { score, weight };
}

const scoreOf = (weights: Weights): BatchArray => ({
  label: `log-probability, ${weights}`,
  type: 'f32',
  extent: 'turns',
  fill: (view) => view.turnsOf((turn, index, group) => SCORES[weights](view.forest.groups[group].id, index, turn)),
});

/** Weight w of each turn among the turns that continue the same turn [turns]. */
const weight = scratch('weight', 'turns');

/** Creates the stage of a softmax of `score`; without a score, the weights are equal. */
const softmaxStage = (weights: Weights, score?: BatchArray): Stage<TreeValues> => ({
  kernel: 'credit/segmented_softmax',
  bindings: {
    segmentOffset: responses.offset,
    segmentMember: responses.member,
    score: score ?? reward,
    weight,
  },
  count: (view) => view.listCount(responses),
  variants: bySize(responses),
  uniforms: () => ({ factor: score ? 1 : 0 }),
  when: (values) => values.weights === weights,
});

/** Stage of the backup. Levels run in sequence, leaves first; the leaves of the deepest level have no continuations. */
const backup: Stage<TreeValues> = {
  kernel: 'credit/weighted_backup',
  bindings: { childOffset: responses.offset, child: responses.member, parent: continued, weight, advantage },
  levels: (view) => Math.max(0, levelCount(view) - 1),
  count: (view, level) => levelOf(view, level + 1).count,
  variants: bySize(responses),
  uniforms: (_, view, level) => ({ first: levelOf(view, level + 1).first }),
};

/**
 * TreeGRPO. The paper branches the denoising of an image. Summaries of the paper describe that advantages of leaves are
 * averaged up the tree by log-probabilities. The softmax among siblings is an interpretation of Turnwise. Trainers of
 * such models use the mean log-probability over the dimensions of a latent (yifan123/flow_grpo,
 * sd3_sde_with_logprob.py). The tokens of a turn correspond to these dimensions, so `mean` is the default. The default
 * also remains near equal weights, which are unbiased: siblings are samples of the policy, so likely siblings are
 * already more frequent. As in the paper, only leaves have rewards.
 */
export const treeGrpo = creditRule({
  name: 'tree-grpo',
  title: 'TreeGRPO',
  family: 'tree',
  input: 'forest',
  reads: ['outcome', 'tokens', 'logProb'],
  rewards: 'outcome',
  unit: 'turn',
  parameters: PARAMETERS,
  // Advantages of leaves sum to 0, weights of siblings to 1.
  laws: {
    parameters: { epsilon: 0 },
    shift: ['reward', 'outcome'],
    scale: 'same',
    zeroSums: ({ advantage, intermediate: { weight } }, group) => [
      findLeafTurns(group).last.map((turn) => advantage[turn]),
      ...siblingValues(group, weight).map((weights) => [-1, ...weights]),
    ],
  },

  credit(group, values) {
    const all = responseGroups(group);
    const { last, outcomes } = findLeafTurns(group);
    const { score, weight: w } = weigh(group, values.weights);
    const leaves = normalize(outcomes, normalizationOf(values));
    const A = new Float64Array(group.turns.length);
    last.forEach((turn, position) => {
      A[turn] = leaves.advantage[position];
    });
    // Leaves first: the continuations of a turn come after the turn.
    for (const { parent, members } of all.toReversed()) {
      if (parent >= 0) A[parent] = members.reduce((sum, turn) => sum + w[turn] * A[turn], 0);
    }
    return { advantage: A, intermediate: { score, weight: w } };
  },

  compared: (group) => [findLeafTurns(group).outcomes],

  outputs: { weight },
  stages: [
    normalizeStage(groupLastTurns, lastOutcome, advantage),
    softmaxStage('mean', scoreOf('mean')),
    softmaxStage('sum', scoreOf('sum')),
    softmaxStage('uniform'),
    backup,
  ],
});
