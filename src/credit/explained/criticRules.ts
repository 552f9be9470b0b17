import type { Group } from '../../rollouts/forest.ts';
import { chains } from '../arithmetic/chains.ts';
import { gae, generationReward, type Payment } from '../arithmetic/returns.ts';
import { equation, formatNumber, operand, trajectoryAt } from '../explanation/derivation.ts';
import { TURN_REWARD_PAPER, TWO_TURNS_WITH_VALUES, VERIFIED } from '../explanation/examples.ts';
import type { Credit } from '../rule.ts';
import { type CreditRule, explain } from '../rule.ts';
import { type GaeValues, mtPpo, ppoMr, ppoOr, type Step, stepsOf, turnPpo } from '../rules/ppo/gaeRules.ts';
import { rewardsOf, tapo } from '../rules/ppo/tapo.ts';

const GAE_FORMULA = [
  'δ_t = r_t + γ V_{t+1} − V_t over the tokens that the policy wrote, V = 0 behind the last',
  'A_t = δ_t + γλ A_{t+1}, return_t = A_t + V_t',
] as const;

/** Rules that compare a turn with the values of a trained network. */
export const CRITIC_RULES: readonly CreditRule[] = [
  explain(mtPpo, {
    fullName: 'multi-turn PPO: rewards on the turns that earned them',
    idea: 'Each turn reward is on the last token of its turn; advantages of tokens are relative to the values of a critic.',
    paper: {
      ...TURN_REWARD_PAPER,
      equation: 'MT-PPO: r_t = R^I_k on the last token of turn k < K, R^O on the last token; Â_t by GAE',
    },
    formula: ['r_t = R^I_{i,k} on the last token of turn k < K_i, R^O_i on the last token, else 0', ...GAE_FORMULA],
    ...explainGae('turn', 'token'),
  }),

  explain(ppoOr, {
    fullName: 'PPO, outcome reward',
    idea: 'The only reward is the outcome, on the last token; advantages of tokens are relative to the values of a critic.',
    paper: {
      ...TURN_REWARD_PAPER,
      equation: 'baseline PPO-OR: r_t = R^O on the last token, else 0; Â_t by GAE',
    },
    formula: ['r_t = R^O_i on the last token of rollout i, else 0', ...GAE_FORMULA],
    ...explainGae('outcome', 'token'),
  }),

  explain(ppoMr, {
    fullName: 'PPO, merged reward',
    idea: 'The sum of turn rewards and outcome is on the last token; advantages of tokens are relative to the values of a critic.',
    paper: {
      ...TURN_REWARD_PAPER,
      equation: 'baseline PPO-MR: r_t = Σ R^I + R^O on the last token, else 0; Â_t by GAE',
    },
    formula: ['r_t = Σ_{l<K_i} R^I_{i,l} + R^O_i on the last token of rollout i, else 0', ...GAE_FORMULA],
    ...explainGae('merged', 'token'),
  }),

  explain(turnPpo, {
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
    ...explainGae('turn', 'turn'),
  }),

  explain(tapo, {
    fullName: 'PPO whose turns write programs and tests, each with its own reward',
    idea: 'The reward of tests includes the gain of the next program; the reward of a program does not include its tests.',
    paper: {
      title: 'ReVeal: Self-Evolving Code Agents via Reliable Self-Verification',
      reference: 'Jin, Xu, Li et al. 2025, arXiv 2506.11442',
      equation: 'R̃_t = R_t + R^turn_t, A_t = R̃_t − V_t, R_t = r_outcome on every token (γ = λ = 1)',
    },
    formula: [
      'turns k = 1, 3, ... generate, turns k = 2, 4, ... verify; R_k is the reward of turn k by itself, the last one’s too',
      'g_1 = R_1, g_k = abs R_k + imp (R_k − R_{k−2}) for k = 3, 5, ...',
      'R^turn_k = g_k of a generation; ver R_k + g_{k+1} of a verification, without g where it is the last turn',
      'return_t = R^O + R^turn_k for all tokens t of turn k, A_t = return_t − V_t',
    ],
    example: VERIFIED,
    worked(turn, group, { tokens }, weights) {
      const all = chains(group);
      const chain = all[trajectoryAt(all, turn)];
      const R = rewardsOf(group, chain);
      const position = chain.turns.indexOf(turn);
      const verifies = position % 2 === 1;
      const generation = verifies ? position + 1 : position;
      const g = generation < R.length ? generationReward(R, generation, weights) : undefined;
      const turnReward = verifies ? weights.ver * R[position] + (g ?? 0) : (g as number);
      const total = chain.outcome + turnReward;
      const before = group.turns.slice(0, turn).reduce((sum, { values = [] }) => sum + values.length, 0);
      const V = group.turns[turn].values ?? [];
      return [
        ...(g === undefined ? [] : [generationLine(R, generation, weights)]),
        ...(verifies
          ? [
              equation(
                `R^turn_${position + 1}`,
                `${formatNumber(weights.ver)} · ${operand(R[position])}${g === undefined ? '' : ` + ${operand(g)}`}`,
                turnReward,
              ),
            ]
          : []),
        equation('return', `${formatNumber(chain.outcome)} + ${operand(turnReward)}`, total),
        ...V.map((value, t) =>
          equation(
            `A_${t + 1}`,
            `${formatNumber(total)} − ${operand(value)}`,
            tokens?.advantages[before + t] ?? Number.NaN,
          ),
        ),
      ];
    },
  }),
];

function generationLine(
  R: readonly number[],
  position: number,
  weights: { readonly abs: number; readonly imp: number; readonly ver: number },
): string {
  const [turnReward, g] = [R[position], generationReward(R, position, weights)];
  if (position === 0) return equation('g_1', formatNumber(turnReward), g);
  const gain = `${formatNumber(weights.imp)} · (${formatNumber(turnReward)} − ${operand(R[position - 2])})`;
  return equation(`g_${position + 1}`, `${formatNumber(weights.abs)} · ${operand(turnReward)} + ${gain}`, g);
}

/** Returns the example and the derivation of a PPO rule. */
function explainGae(payment: Payment, step: Step) {
  return {
    example: TWO_TURNS_WITH_VALUES,
    worked: (turn: number, group: Group, _: Credit, values: GaeValues) => gaeLines(turn, group, values, payment, step),
  };
}

/**
 * Returns the lines of δ_t, A_t and return_t of a turn's steps, last step first. Steps count from 1 in their
 * trajectory.
 */
function gaeLines(turn: number, group: Group, { gamma, lambda }: GaeValues, payment: Payment, step: Step): string[] {
  const trajectories = chains(group);
  const chain = trajectories[trajectoryAt(trajectories, turn)];
  const position = chain.turns.indexOf(turn);
  const stepsIn = (index: number) => (step === 'turn' ? 1 : (group.turns[index].values ?? []).length);
  const start = chain.turns.slice(0, position).reduce((sum, index) => sum + stepsIn(index), 0);
  const { rewards: r, values: V } = stepsOf(group, chain, payment, step);
  const { advantages: A, returns } = gae(r, V, gamma, lambda);
  const [g, l] = [formatNumber(gamma), formatNumber(lambda)];
  return Array.from({ length: stepsIn(turn) }, (_, back) => start + stepsIn(turn) - 1 - back).flatMap((t) => {
    const [next, after] = [V[t + 1] ?? 0, A[t + 1] ?? 0];
    const delta = r[t] + gamma * next - V[t];
    return [
      equation(`δ_${t + 1}`, `${formatNumber(r[t])} + ${g} · ${operand(next)} − ${operand(V[t])}`, delta),
      equation(`A_${t + 1}`, `${formatNumber(delta)} + ${g} · ${l} · ${operand(after)}`, A[t]),
      equation(`return_${t + 1}`, `${formatNumber(A[t])} + ${operand(V[t])}`, returns[t]),
    ];
  });
}
