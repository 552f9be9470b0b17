import { TWO_TURNS_WITH_VALUES } from '../../explanation/examples.ts';
import { creditRule } from '../../rule.ts';
import { GAE_FORMULA, gaeRule } from './gaeRule.ts';

export const ppoMr = creditRule({
  name: 'ppo-mr',
  title: 'PPO-MR',
  fullName: 'PPO, merged reward',
  idea: 'The sum of turn rewards and outcome is on the last token; advantages of tokens are relative to the values of a critic.',
  paper: {
    title: 'Reinforcing Multi-Turn Reasoning in LLM Agents via Turn-Level Reward Design',
    reference: 'Wei, Zeng et al. 2025, arXiv 2505.11821',
    equation: 'baseline PPO-MR: r_t = Σ R^I + R^O on the last token, else 0; Â_t by GAE',
  },
  formula: ['r_t = Σ_{l<K_i} R^I_{i,l} + R^O_i on the last token of rollout i, else 0', ...GAE_FORMULA],
  example: TWO_TURNS_WITH_VALUES,
  laws: {
    scale: 'multiplied',
  },
  ...gaeRule('merged'),
});
