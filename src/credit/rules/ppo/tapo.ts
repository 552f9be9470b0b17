import type { NumberParameter } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { type Chain, chains, checkValues } from '../../arithmetic/chains.ts';
import { generationReward, turnAwareReturns } from '../../arithmetic/returns.ts';
import { equation, formatNumber, operand, trajectoryAt } from '../../explanation/derivation.ts';
import { VERIFIED } from '../../explanation/examples.ts';
import { countOf } from '../../gpu/batchArrays.ts';
import { creditRule } from '../../rule.ts';
import { tokenReturnBindings, turnTokenMeanStage } from './gaeRules.ts';

const WEIGHT = { kind: 'number', min: 0, max: 5, step: 0.05 } as const;

const ABSOLUTE = {
  ...WEIGHT,
  name: 'abs',
  control: 'tapoAbs',
  label: 'Weight of the reward',
  symbol: 'abs',
  default: 0,
  help: 'Weight of the reward of a later program. 0 as in the paper: after the first program only the gain has a reward.',
} as const satisfies NumberParameter;

const IMPROVEMENT = {
  ...WEIGHT,
  name: 'imp',
  control: 'tapoImp',
  label: 'Weight of the gain',
  symbol: 'imp',
  default: 1,
  help: 'Weight of the gain: the reward of a later program minus the reward of the program before it.',
} as const satisfies NumberParameter;

const VERIFICATION = {
  ...WEIGHT,
  name: 'ver',
  control: 'tapoVer',
  label: 'Weight of tests',
  symbol: 'ver',
  default: 0.2,
  help: 'Weight of the reward of a verification. In the paper a right test counts a fifth of a right program.',
} as const satisfies NumberParameter;

export const tapo = creditRule({
  name: 'tapo',
  title: 'TAPO',
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
  family: 'critic',
  input: 'trajectories',
  reads: ['outcome', 'tokens', 'values'],
  turns: 'attempts',
  unit: 'token',
  parameters: [ABSOLUTE, IMPROVEMENT, VERIFICATION],
  example: VERIFIED,
  laws: {
    scale: 'multiplied',
  },

  credit(group, weights) {
    const trajectories = chains(group);
    const values = group.turns.map((turn, index) => checkValues(group.id, index, turn));
    const returns: number[] = group.turns.map(() => Number.NaN);
    for (const chain of trajectories) {
      const turnReturns = turnAwareReturns(rewardsOf(group, chain), chain.outcome, weights);
      chain.turns.forEach((turn, position) => {
        returns[turn] = turnReturns[position];
      });
    }
    const A = values.map((turnValues, turn) => turnValues.map((V) => returns[turn] - V));
    return {
      advantage: Float64Array.from(A, (row) => row.reduce((sum, element) => sum + element, 0) / row.length),
      tokens: {
        advantages: Float64Array.from(A.flat()),
        returns: Float64Array.from(values.flatMap((turnValues, turn) => turnValues.map(() => returns[turn]))),
      },
      intermediate: {},
    };
  },

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

  // A rollout is compared with the critic, not with the rest of its group.
  compared: () => [],

  outputs: {},
  stages: [
    {
      kernel: 'credit/turn_aware_returns',
      bindings: tokenReturnBindings,
      count: countOf('trajectories'),
      uniforms: ({ abs, imp, ver }) => ({ absolute: abs, improvement: imp, verification: ver }),
    },
    turnTokenMeanStage,
  ],
});

/** Returns the reward of each turn of a trajectory [K]. */
function rewardsOf({ turns }: Group, chain: Chain): number[] {
  return chain.turns.map((turn) => turns[turn].reward);
}

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
