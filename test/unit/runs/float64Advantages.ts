import { memberCounts, normalizeBatch } from '../../../src/credit/arithmetic/normalize.ts';
import type { CreditRule } from '../../../src/credit/rule.ts';
import type { ParameterValues } from '../../../src/parameters/parameters.ts';
import type { Group } from '../../../src/rollouts/forest.ts';

/**
 * Returns the float64 advantages of an update [turns], NaN for pruned turns. They are normalised over the batch if the
 * rule has a batch normalisation.
 */
export function float64Advantages(
  groups: readonly Group[],
  rule: CreditRule,
  parameters: ParameterValues,
): readonly number[] {
  const advantages = groups.flatMap((group) => [...rule.credit(group, parameters).advantage]);
  return rule.batch ? [...normalizeBatch(advantages, memberCounts(groups, rule.batch))] : advantages;
}
