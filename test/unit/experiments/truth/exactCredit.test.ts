import { expect, test } from 'vitest';
import { withTotals } from '../../../../src/credit/arithmetic/chains.ts';
import { parseRuleParameters } from '../../../../src/credit/ruleFacts.ts';
import { findRule } from '../../../../src/credit/rules.ts';
import {
  exactProcessValues,
  PROCESSES,
  type StateValues,
} from '../../../../src/environments/bandit/decisionProcess.ts';
import { cosine, relativeDistance } from '../../../../src/experiments/truth/measureGradients.ts';
import { agreements, type Step } from '../../../../src/experiments/truth/trueAdvantages.ts';
import type { Group } from '../../../../src/rollouts/forest.ts';
import { EXACT_REPORTS, type Measure } from '../../exactReports.ts';

/** Rules and their parameters by the names of the Python package. */
const RULES = {
  'grpo-or': ['grpo-or', {}],
  rtmc: ['rtmc', {}],
  'mt-grpo?absent=leave-one-out': ['mt-grpo', { absent: 'leave-one-out' }],
} as const;

const keyOf = (turn: number, state: string, action: string) => `${turn} ${state} ${action}`;

/** Computes the gradient of the expected return by the logits of a tabular softmax policy: d(s) π(a | s) A(s, a). */
function exactGradient(values: readonly StateValues[]): ReadonlyMap<string, number> {
  return new Map(
    values.flatMap(({ turn, state, visits, actions }) =>
      actions.map(
        ({ action, probability, advantage }) => [keyOf(turn, state, action), visits * probability * advantage] as const,
      ),
    ),
  );
}

/** Computes the mean over rollouts of credit times the gradient of log π by the logits [states and actions]. */
function groupGradient(
  values: readonly StateValues[],
  { turns }: Group,
  credit: ArrayLike<number>,
  keys: readonly string[],
): number[] {
  const gradient = new Map(keys.map((key) => [key, 0]));
  const rollouts = turns.filter(({ parent }) => parent < 0).length;
  turns.forEach(({ state, action }, index) => {
    const visited = values.find((values) => `${values.turn} ${values.state}` === state);
    for (const { action: candidate, probability } of visited?.actions ?? []) {
      const key = `${state} ${candidate}`;
      const slope = (candidate === action ? 1 : 0) - probability;
      gradient.set(key, (gradient.get(key) ?? NaN) + (credit[index] * slope) / rollouts);
    }
  });
  return [...gradient.values()];
}

/** Computes the measures of the truth panel for a rule on groups of a process with exact advantages. */
function scoreOf(name: keyof typeof RULES, values: readonly StateValues[], groups: readonly Group[]) {
  const [rule, parameters] = RULES[name];
  const exact = exactGradient(values);
  const advantages = new Map(
    values.flatMap(({ turn, state, actions }) =>
      actions.map(({ action, advantage }) => [keyOf(turn, state, action), advantage] as const),
    ),
  );
  const keys = [...exact.keys()];
  const sum = keys.map(() => 0);
  const steps = groups.flatMap((group, cluster) => {
    const creditRule = findRule(rule);
    const credit = creditRule.credit(
      withTotals(creditRule, group),
      parseRuleParameters(creditRule, parameters),
    ).advantage;
    groupGradient(values, group, credit, keys).forEach((value, index) => {
      sum[index] += value / groups.length;
    });
    return group.turns.map(({ state, action }, turn): Step => {
      const mean = advantages.get(`${state} ${action}`) ?? NaN;
      return { cluster, truth: { mean, error: 0 }, advantages: [credit[turn]] };
    });
  });
  const [{ leakage, correlation }] = agreements(steps, 1, 1, 0);
  const expected = [...exact.values()];
  return {
    leakage,
    correlation: correlation.value,
    cosine: cosine(sum, expected),
    error: relativeDistance(sum, expected),
  };
}

test.each(EXACT_REPORTS)('the measures of $process agree with the Python package on the same groups', (report) => {
  const values = exactProcessValues(PROCESSES[report.process], (_, __, actions) =>
    actions.map(() => 1 / actions.length),
  );
  for (const name of Object.keys(RULES) as (keyof typeof RULES)[]) {
    const score = scoreOf(name, values, report.groups);
    for (const measure of ['leakage', 'correlation', 'cosine', 'error'] as const satisfies readonly Measure[]) {
      const expected = report.scores[name][measure] ?? NaN;
      if (Number.isNaN(expected)) expect([name, measure, score[measure]]).toEqual([name, measure, NaN]);
      else expect(Math.abs(score[measure] - expected), `${name}: ${measure}`).toBeLessThan(1e-12);
    }
  }
});
