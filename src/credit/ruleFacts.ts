import { type RuleFacts, ruleNamed } from './rule.ts';
import { RULE_FACTS } from './ruleList.ts';
import { getCustomRule } from './rules/custom/customRule.ts';
import { isCustomRule, isCustomRuleName } from './rules/custom/customSource.ts';

/** The title of a rule for people; its name where the list lacks it (a run from a newer version). */
export function ruleTitle(name: string): string {
  if (isCustomRuleName(name)) return getCustomRule(name).title;
  return RULE_FACTS.find((candidate) => candidate.name === name)?.title ?? name;
}

/**
 * Name of a rule in tables and files. For a rule from a file, it is the name of the file with a mark that distinguishes
 * two texts of one file.
 */
export function ruleLabel(name: string): string {
  return isCustomRuleName(name) ? (getCustomRule(name).label ?? name) : name;
}

/**
 * The facts of the rule with a name such as `mt-grpo`, or with a name that contains all of a custom rule (encodeCustomRule).
 * @throws {RangeError} listing the names.
 */
export function findFacts(name: string): RuleFacts {
  return isCustomRule(name) ? getCustomRule(name) : ruleNamed(RULE_FACTS, name);
}
