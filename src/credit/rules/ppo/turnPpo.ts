import { TWO_TURNS_WITH_VALUES } from '../../explanation/examples.ts';
import { creditRule } from '../../rule.ts';
import { turnGaeRule } from './gaeRule.ts';

export const turnPpo = creditRule({
  name: 'turn-ppo',
  title: 'Turn-PPO',
  fullName: 'PPO with whole turns as actions',
  idea: 'A turn is one action: all its tokens get the advantage of the turn relative to the value of a critic before it.',
  paper: {
    title: 'Turn-PPO: Turn-Level Advantage Estimation with PPO for Improved Multi-Turn RL in Agentic LLMs',
    reference: 'Li, Zhou, Meng et al. 2025, arXiv 2512.17008',
    equation: 'a turn is the action: the value before it, and GAE over turns',
  },
  formula: [
    'r_k = R^I_{i,k} for turn k < K_i, R^O_i for the last turn',
    'δ_k = r_k + γ V_{k+1} − V_k with V_k at the first token of turn k, V = 0 behind the last turn',
    'A_k = δ_k + γλ A_{k+1}, return_k = A_k + V_k, the same for all tokens of turn k',
  ],
  example: TWO_TURNS_WITH_VALUES,
  laws: {
    scale: 'multiplied',
  },
  ...turnGaeRule(),
});
