import { TWO_TURNS_WITH_VALUES } from '../../explanation/examples.ts';
import { creditRule } from '../../rule.ts';
import { GAE_FORMULA, gaeRule } from './gaeRule.ts';

export const ppoOr = creditRule({
  name: 'ppo-or',
  title: 'PPO-OR',
  fullName: 'PPO, outcome reward',
  idea: 'The only reward is the outcome, on the last token; advantages of tokens are relative to the values of a critic.',
  paper: {
    title: 'Reinforcing Multi-Turn Reasoning in LLM Agents via Turn-Level Reward Design',
    reference: 'Wei, Zeng et al. 2025, arXiv 2505.11821',
    equation: 'baseline PPO-OR: r_t = R^O on the last token, else 0; Â_t by GAE',
  },
  formula: ['r_t = R^O_i on the last token of rollout i, else 0', ...GAE_FORMULA],
  rewards: 'outcome',
  example: TWO_TURNS_WITH_VALUES,
  laws: {
    scale: 'multiplied',
  },
  ...gaeRule('outcome'),
});
