import { agreements, precision } from '../../../src/experiments/truth/trueAdvantages.ts';
import type { MeasuredTurn, TruthReport } from '../../../src/training/data/truthReport.ts';

/** Rules of the reports. */
export const RULES = ['grpo-or', 'mt-grpo'] as const;

/** Returns the only turn of a rollout with its measured advantage and its advantages under `RULES`, null if pruned. */
export function turn(
  forestTurn: number,
  mean: number,
  error: number,
  values: readonly (number | null)[],
): MeasuredTurn {
  return {
    ...{ forestTurn, rollout: forestTurn, turn: 0, summary: `turn ${forestTurn}`, reward: 0 },
    ...{ before: { mean: 0.5, error: 0.1 }, advantage: { mean, error } },
    rules: { 'grpo-or': values[0] ?? null, 'mt-grpo': values[1] ?? null },
  };
}

/** Returns the report of a measurement of one group with these turns. */
export function reportOf(turns: readonly MeasuredTurn[], changed: Partial<TruthReport> = {}): TruthReport {
  const steps = turns.map(({ rollout, advantage, rules }) => ({
    cluster: rollout,
    truth: advantage,
    advantages: RULES.map((rule) => rules[rule] ?? NaN),
  }));
  const results = agreements(steps, RULES.length, 1, 200);
  return {
    plan: {
      ...{ rules: RULES, groups: 1, continuations: 16, split: 'train', ties: 'keep', gradientGroups: 0 },
      counts: { kind: 'outcome', gamma: 1, bonus: 0 },
    },
    ...{ drawn: 1, histories: 4, continuations: 64, precision: precision(steps), resampled: 'rollouts' },
    rules: RULES.map((rule, index) => ({ rule, parameters: {}, ...(results[index] as (typeof results)[number]) })),
    groups: [{ question: 'Mira: born in?', outcomes: [0, 1], turns }],
    ...changed,
  };
}

/**
 * Measured advantages 1, -1, 0 and .5 with errors .1. GRPO-OR has their signs. MT-GRPO has a wrong sign, 0 or no
 * advantage.
 */
export const TURNS = [
  turn(0, 1, 0.1, [2, -1]),
  turn(1, -1, 0.1, [-2, 0]),
  turn(2, 0, 0.1, [0, 1]),
  turn(3, 0.5, 0.1, [1, null]),
];
