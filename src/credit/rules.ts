import { ForestError, type Group } from '../rollouts/forest.ts';
import { withTotals } from './arithmetic/chains.ts';
import { BASELINE_RULES } from './explained/baselineRules.ts';
import { CRITIC_RULES } from './explained/criticRules.ts';
import { GROUP_RULES } from './explained/groupRules.ts';
import { PROGRESS_RULES } from './explained/progressRules.ts';
import { STATE_RULES } from './explained/stateRules.ts';
import { TREE_RULES } from './explained/treeRules.ts';
import { type Credit, type CreditRule, ruleNamed } from './rule.ts';
import { getCustomRule, isCustomRule } from './rules/custom/customRule.ts';

/** All credit rules, in the order of menus. */
export const RULES: readonly CreditRule[] = [
  ...GROUP_RULES,
  ...PROGRESS_RULES,
  ...CRITIC_RULES,
  ...TREE_RULES,
  ...STATE_RULES,
  ...BASELINE_RULES,
];

/**
 * Returns the rule with a name such as `mt-grpo`, or with the encoded name of a custom rule (encodeCustomRule).
 * @throws {RangeError} that lists the known names, for an unknown name
 */
export function findRule(name: string): CreditRule {
  return isCustomRule(name) ? getCustomRule(name) : ruleNamed(RULES, name);
}

/** Returns the credit of a group with default parameters, or the error of a rule that cannot read the group. */
export function creditOrError(rule: CreditRule, group: Group): Credit | ForestError {
  try {
    return rule.credit(withTotals(rule, group), {});
  } catch (error) {
    if (error instanceof ForestError) return error;
    throw error;
  }
}
