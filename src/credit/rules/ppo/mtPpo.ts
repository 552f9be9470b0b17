import { TWO_TURNS_WITH_VALUES } from '../../explanation/examples.ts';
import { creditRule } from '../../rule.ts';
import { GAE_FORMULA, gaeRule } from './gaeRule.ts';

export const mtPpo = creditRule({
  name: 'mt-ppo',
  title: 'MT-PPO',
  fullName: 'multi-turn PPO: rewards on the turns that earned them',
  idea: 'Each turn reward is on the last token of its turn; advantages of tokens are relative to the values of a critic.',
  paper: {
    title: 'Reinforcing Multi-Turn Reasoning in LLM Agents via Turn-Level Reward Design',
    reference: 'Wei, Zeng et al. 2025, arXiv 2505.11821',
    equation: 'MT-PPO: r_t = R^I_k on the last token of turn k < K, R^O on the last token; Â_t by GAE',
  },
  formula: ['r_t = R^I_{i,k} on the last token of turn k < K_i, R^O_i on the last token, else 0', ...GAE_FORMULA],
  example: TWO_TURNS_WITH_VALUES,
  laws: {
    scale: 'multiplied',
  },
  ...gaeRule('turn'),
});
