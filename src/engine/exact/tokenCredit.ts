import type { CreditRule } from '../../credit/rule.ts';
import { explainedVariance, moments, normalizeTokens, type TokenLine } from '../../objective/objective.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { alignCriticValues, withValues } from '../updatePlan.ts';

/** Advantages, indexed by the credits of targets, and the training data of the critic. */
export interface TokenCredit {
  /** Normalised advantages [policy tokens]. */
  readonly advantages: Float32Array;
  readonly returns: Float32Array;
  readonly line: TokenLine;
}

/** Computes the credit of a token rule from the values of a critic. @param values [policy tokens] */
export function tokenCredit(
  batch: RolloutBatch,
  rule: CreditRule,
  parameters: ParameterValues,
  values: Float32Array,
): TokenCredit {
  // A rule rejects values that are not finite. As losses, they stop the run at this update.
  if (!values.every(Number.isFinite)) return notFinite(values.length);
  const valued = withValues(batch, alignCriticValues(batch, rule, values));
  const credits = valued.groups.map((group) => {
    const { tokens } = rule.credit(group, parameters);
    if (!tokens) throw new Error(`the rule ${rule.name} has no advantages of tokens`);
    return tokens;
  });
  const advantages = credits.flatMap((credit) => Array.from(credit.advantages));
  const returns = credits.flatMap((credit) => Array.from(credit.returns));
  const explained = explainedVariance(moments(advantages).variance, moments(returns).variance);
  return {
    advantages: Float32Array.from(normalizeTokens(advantages)),
    returns: Float32Array.from(returns),
    line: { tokens: advantages.length, explainedVariance: explained },
  };
}

function notFinite(tokens: number): TokenCredit {
  const numbers = new Float32Array(tokens).fill(Number.NaN);
  return { advantages: numbers, returns: numbers, line: { tokens, explainedVariance: Number.NaN } };
}
