import { type RuleFacts, ruleNamed } from './rule.ts';
import { RULE_FACTS } from './ruleList.ts';
import { getCustomRule } from './rules/custom/customRule.ts';
import { isCustomRule, isCustomRuleName } from './rules/custom/customSource.ts';

/** Returns the title of a rule, or its name if the rule is unknown, for example in a run from a newer version. */
export function ruleTitle(name: string): string {
  if (isCustomRuleName(name)) return getCustomRule(name).title;
  return RULE_FACTS.find((candidate) => candidate.name === name)?.title ?? name;
}

/**
 * Returns the name of a rule for tables and files. For a custom rule, it is the file name with a fingerprint that
 * distinguishes two texts of one file.
 */
export function ruleLabel(name: string): string {
  return isCustomRuleName(name) ? (getCustomRule(name).label ?? name) : name;
}

/**
 * Returns the facts of the rule with a name such as `mt-grpo`, or with the encoded name of a custom rule
 * (encodeCustomRule).
 * @throws {RangeError} that lists the known names, for an unknown name
 */
export function findFacts(name: string): RuleFacts {
  return isCustomRule(name) ? getCustomRule(name) : ruleNamed(RULE_FACTS, name);
}
