import { chains, outcomesOf } from '../arithmetic/chains.ts';
import { normalizationOf, normalize } from '../arithmetic/normalize.ts';
import { equation, formatNumber, normalizedLines, operand, trajectoryAt } from '../explanation/derivation.ts';
import { TWO_TURNS } from '../explanation/examples.ts';
import { explain } from '../rule.ts';
import { discountedOutcome as arithmetic } from '../rules/grpo/discountedOutcome.ts';

export const discountedOutcome = explain(arithmetic, {
  fullName: 'GRPO-OR with a discount for each turn that follows',
  idea: 'A turn gets the credit of its rollout, discounted once for each turn that follows it.',
  paper: {
    title: 'DeepSeekMath: Pushing the Limits of Mathematical Reasoning in Open Language Models',
    reference: 'Shao et al. 2024, arXiv 2402.03300',
    equation: 'section 4.1.2, times a discount: A_{i,k} = γ^(K_i − k) A_i',
  },
  formula: ['A_i = (R^O_i − mean_j R^O_j) / (std_j R^O_j + ε)', 'A_{i,k} = γ^(K_i − k) A_i for turn k of K_i'],
  example: TWO_TURNS,

  worked(turn, group, { advantage: A }, values) {
    const all = chains(group);
    const R = outcomesOf(group);
    const at = trajectoryAt(all, turn);
    const normalization = normalizationOf(values);
    const A_i = normalize(R, normalization).advantage[at];
    const after = all[at].turns.length - 1 - all[at].turns.indexOf(turn);
    return [
      ...normalizedLines({ symbols: ['A_i', 'R^O'], values: R, at, normalization }),
      equation('A', `${formatNumber(values.gamma)}^${after} · ${operand(A_i)}`, A[turn]),
    ];
  },
});
