import { creditRule } from '../../rule.ts';
import { TWO_TURNS_WITH_VALUES } from '../../telling/examples.ts';
import { GAE_FORMULA, gaeRule } from './gaeRule.ts';

export const ppoMr = creditRule({
  name: 'ppo-mr',
  title: 'PPO-MR',
  fullName: 'PPO, merged reward',
  idea: 'Turn rewards are merged into the outcome and paid on the last token; a critic spreads the sum over the tokens.',
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
