import { exp } from '../../numbers/exponential.ts';
import type { Group } from '../../rollouts/forest.ts';
import { chains, checkAnswerLogProb, paths } from '../arithmetic/chains.ts';
import { normalizationOf, sum } from '../arithmetic/normalize.ts';
import {
  equation,
  formatNumber,
  normalizedLines,
  operand,
  returnLine,
  sumOf,
  trajectoryAt,
  weightedSumOf,
} from '../explanation/derivation.ts';
import { MEETING, SEARCHED } from '../explanation/examples.ts';
import { type CreditRule, explain } from '../rule.ts';
import { grpoStep } from '../rules/grpo/grpoStep.ts';
import { igpo, pools } from '../rules/grpo/igpo.ts';
import { LEVELS, shaped, type TurnCreditValues, turnCredit, weightsOf } from '../rules/grpo/turnCredit.ts';

/**
 * Three rollouts with a reward on each turn: one reaches the goal in three turns, one moves away from it, one reaches
 * the goal in one turn.
 */
const STEPS: Group = {
  id: 'steps',
  turns: [
    { parent: -1, reward: 0.2, tokens: 20 },
    { parent: 0, reward: 0.3, tokens: 20 },
    { parent: 1, reward: 0.5, outcome: 1, tokens: 24 },
    { parent: -1, reward: 0.5, tokens: 16 },
    { parent: 3, reward: -0.3, tokens: 24 },
    { parent: 4, reward: 0, outcome: 0, tokens: 24 },
    { parent: -1, reward: 1, outcome: 1, tokens: 22 },
  ],
};

/** Rules that compare the returns or the progress of single turns with the group. */
export const PROGRESS_RULES: readonly CreditRule[] = [
  explain(grpoStep, {
    fullName: 'GRPO over single steps',
    idea: 'The discounted return of each turn is compared with the returns of all turns of the group, in any state.',
    paper: {
      title: 'RTMC: Step-Level Credit Assignment via Rollout Trees',
      reference: 'Wang, Zheng, Xu 2026, arXiv 2604.11037',
      equation: 'baseline with step rewards: A_t = (G_t − mean(G)) / std(G)',
    },
    formula: [
      'r_t = reward of the turn, + bonus if it validates, + outcome on the last turn',
      'G_t = r_t + γ G_{t+1}',
      'A_t = (G_t − mean G) / (std G + ε) over all turns of the group',
    ],
    example: MEETING,
    worked(turn, group, { intermediate }, values) {
      const all = paths(group).map((turns) => ({ turns }));
      const G = intermediate.return;
      return [
        returnLine(turn, group, all[trajectoryAt(all, turn)].turns, G, values),
        ...normalizedLines({ symbols: ['A', 'G'], values: G, at: turn, normalization: normalizationOf(values) }),
      ];
    },
  }),

  explain(igpo, {
    fullName: 'information gain-based policy optimization',
    idea: 'The reward of a turn is its increase of the probability of the right answer; its credit is the discounted sum from this turn on.',
    paper: {
      title: 'Information Gain-based Policy Optimization: A Simple and Effective Approach for Multi-Turn Search Agents',
      reference: 'Wang, Dai et al. 2025, arXiv 2510.14967',
      equation: 'r_{i,t} = π(a | q, o_{i,≤t}) − π(a | q, o_{i,≤t−1}), and Ã_{i,t} = Σ_{k≥t} γ^{k−t} A_{i,k}',
    },
    formula: [
      'p_t = exp(answerLogProb_t): the policy’s probability of the right answer before turn t, a geometric mean over its tokens',
      'r_t = p_{t+1} − p_t, and r_K = R^O on the last turn',
      'r̃ = (r − mean r) / (std r + ε) over all turns of the group; separate: over its gains, and over its outcomes',
      'A_t = r̃_t + γ A_{t+1}',
    ],
    example: SEARCHED,
    worked(turn, group, { advantage: A, intermediate: { gain, normalizedReward } }, values) {
      const all = chains(group);
      const { turns } = all[trajectoryAt(all, turn)];
      const next = turns[turns.indexOf(turn) + 1];
      const members = pools(all, values.pool).find((pool) => pool.includes(turn)) ?? [];
      const probability = (of: number) => operand(exp(checkAnswerLogProb(group.id, of, group.turns[of])));
      return [
        next === undefined
          ? `r = R^O = ${formatNumber(gain[turn])}`
          : equation('r', `${probability(next)} − ${probability(turn)}`, gain[turn]),
        ...normalizedLines({
          symbols: ['r̃', 'r'],
          values: members.map((member) => gain[member]),
          at: members.indexOf(turn),
          normalization: normalizationOf(values),
          rollouts: all.length,
        }),
        next === undefined
          ? `A = ${formatNumber(A[turn])}`
          : equation(
              'A',
              `${formatNumber(normalizedReward[turn])} + ${formatNumber(values.gamma)} · ${operand(A[next])}`,
              A[turn],
            ),
      ];
    },
  }),

  explain(turnCredit, {
    fullName: 'GRPO with progress from state to state, shared by the turns that led to it',
    idea: 'Rollouts are compared by outcome plus total progress; turns share the progress that they led to.',
    paper: {
      title: 'Turn-credit shaping (turn_credit), an open pull request of prime-rl',
      reference: 'snimu 2026, github.com/PrimeIntellect-ai/prime-rl/pull/3282',
      equation: 'a = A + β (c_τ − c̄), A = R + Σ_t Δφ_t less its group mean',
    },
    formula: [
      'φ_t = sum of the rewards up to turn t, or the reward of turn t (scores)',
      'δ_t = φ_t − φ_{t−1}, and δ_1 = φ_1 (start zero) or 0 (unscored)',
      'c_t = Σ_{s≥t} γ^{s−t} δ_s / z_s, z_s = Σ_{d<s} γ^d: each δ_s goes to turns 1 to s, and its shares add up to it',
      'c̄ = Σ_t n_t c_t / Σ_t n_t over the turns of the rollout; n_t: tokens of the turn, 1 in a group that has none',
      'R_i = R^O_i + Σ_t δ_t, L_i = R_i − mean_j R_j',
      'A_t = L_i + β (c_t − c̄)',
    ],
    example: STEPS,
    worked(turn, group, { advantage: A, intermediate: { level: L } }, values) {
      const { gamma, beta } = values;
      const { all, delta, c, centre, R } = shaped(group, values);
      const at = trajectoryAt(all, turn);
      const { turns, outcome: finalOutcome } = all[at];
      const position = turns.indexOf(turn);
      const next = turns[position + 1];
      const share = `${formatNumber(delta[turn])} / ${formatNumber(parts(position + 1, gamma))}`;
      const credits = turns.map((member) => c[member]);
      const n = weightsOf(group);
      const weights = turns.map((member) => n[member]);
      return [
        progressLine(group, turns, position, delta, values),
        equation(
          'z',
          position === 0 ? '1' : `1 + ${formatNumber(gamma)} · ${formatNumber(parts(position, gamma))}`,
          parts(position + 1, gamma),
        ),
        equation('c', next === undefined ? share : `${share} + ${formatNumber(gamma)} · ${operand(c[next])}`, c[turn]),
        equation('c̄', `(${weightedSumOf(weights, credits)}) / ${formatNumber(sum(weights))}`, centre[at]),
        equation('R', sumOf([finalOutcome, ...turns.map((member) => delta[member])]), R[at]),
        ...normalizedLines({ symbols: ['L', 'R'], values: R, at, normalization: LEVELS }),
        equation(
          'A',
          `${formatNumber(L[turn])} + ${formatNumber(beta)} · (${formatNumber(c[turn])} − ${operand(centre[at])})`,
          A[turn],
        ),
      ];
    },
  }),
];

/** Returns the line `δ = φ_t − φ_{t−1}` of a turn with substituted numbers. */
function progressLine(
  { turns: all }: Group,
  turns: readonly number[],
  position: number,
  delta: Float64Array,
  { scores, start }: TurnCreditValues,
): string {
  const { reward: turnReward } = all[turns[position]];
  if (position === 0 && start === 'unscored') return 'δ = 0, because nothing is scored before the first turn';
  if (position === 0 || scores === 'sum') return `δ = ${formatNumber(turnReward)}`;
  return equation(
    'δ',
    `${formatNumber(turnReward)} − ${operand(all[turns[position - 1]].reward)}`,
    delta[turns[position]],
  );
}

/** Returns z, the sum of the weights of a number of turns: 1 + γ + γ² + ... */
function parts(turns: number, gamma: number): number {
  let z = 0;
  for (let turn = 0; turn < turns; turn++) z = 1 + gamma * z;
  return z;
}
