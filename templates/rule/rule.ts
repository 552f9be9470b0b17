import { integerPower } from '../../../numbers/powers.ts';
import { type Chain, chains, lastTurnValues } from '../../arithmetic/chains.ts';
import { NORMALIZATION, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import { equation, formatNumber, normalizedLines, operand, trajectoryAt } from '../../explanation/derivation.ts';
import { TWO_TURNS } from '../../explanation/examples.ts';
import {
  advantage,
  countOf,
  groupTrajectories,
  normalizeStage,
  outcome,
  outcomeAdvantage,
  trajectoryTurns,
} from '../../gpu/batchArrays.ts';
import type { Stage } from '../../gpu/stage.ts';
import { creditRule } from '../../rule.ts';

/** The kernel that writes `advantage`, with its arrays and its uniforms. */
const discountStage: Stage<{ readonly gamma: number }> = {
  kernel: 'credit/discounted_outcome',
  bindings: { turnOffset: trajectoryTurns.offset, turn: trajectoryTurns.member, value: outcomeAdvantage, advantage },
  count: countOf('trajectories'),
  uniforms: ({ gamma }) => ({ gamma }),
};

export const discountedOutcome = creditRule({
  name: 'discounted-outcome',
  title: 'Discounted outcome',
  fullName: 'GRPO-OR with a discount for each turn that follows',
  idea: 'A turn gets the credit of its rollout, discounted once for each turn that follows it.',
  paper: {
    title: 'DeepSeekMath: Pushing the Limits of Mathematical Reasoning in Open Language Models',
    reference: 'Shao et al. 2024, arXiv 2402.03300',
    equation: 'section 4.1.2, times a discount: A_{i,k} = γ^(K_i − k) A_i',
  },
  formula: ['A_i = (R^O_i − mean_j R^O_j) / (std_j R^O_j + ε)', 'A_{i,k} = γ^(K_i − k) A_i for turn k of K_i'],
  family: 'group',
  input: 'trajectories',
  reads: ['outcome'],
  rewards: 'outcome',
  unit: 'turn',
  parameters: [
    {
      kind: 'number',
      name: 'gamma',
      control: 'discountedOutcomeGamma',
      label: 'Discount per turn',
      symbol: 'γ',
      default: 0.5,
      min: 0,
      max: 1,
      step: 0.05,
      help: 'Share of the credit that the turn before gets. At 1 the rule is GRPO-OR, at 0 only last turns get credit.',
    },
    ...NORMALIZATION,
  ],
  example: TWO_TURNS,
  laws: {
    parameters: { epsilon: 0 },
    shift: ['reward', 'outcome'],
    scale: 'same',
    zeroSums: ({ advantage }, group) => [lastTurnValues(group, advantage)],
  },

  credit(group, values) {
    const all = chains(group);
    const { advantage: A } = normalize(outcomes(all), normalizationOf(values));
    const discounted = new Float64Array(group.turns.length);
    for (const [i, { turns }] of all.entries()) {
      turns.forEach((turn, k) => {
        discounted[turn] = A[i] * integerPower(values.gamma, turns.length - 1 - k);
      });
    }
    return { advantage: discounted, intermediate: {} };
  },

  worked(turn, group, { advantage: A }, values) {
    const all = chains(group);
    const at = trajectoryAt(all, turn);
    const normalization = normalizationOf(values);
    const A_i = normalize(outcomes(all), normalization).advantage[at];
    const after = all[at].turns.length - 1 - all[at].turns.indexOf(turn);
    return [
      ...normalizedLines({ symbols: ['A_i', 'R^O'], values: outcomes(all), at, normalization }),
      equation('A', `${formatNumber(values.gamma)}^${after} · ${operand(A_i)}`, A[turn]),
    ];
  },

  compared: (group) => [outcomes(chains(group))],

  outputs: {},
  stages: [normalizeStage(groupTrajectories, outcome, outcomeAdvantage), discountStage],
});

/** [trajectories]: R^O. */
function outcomes(all: readonly Chain[]): number[] {
  return all.map((chain) => chain.outcome);
}
