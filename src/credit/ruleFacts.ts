import { type RuleFacts, ruleNamed } from './rule.ts';
import { RULE_FACTS } from './ruleList.ts';
import { ownRule } from './rules/own/ownRule.ts';
import { isOwn, isOwnRule } from './rules/own/ownSource.ts';

/** The title of a rule for people; its name where the list lacks it (a run from a newer version). */
export function ruleTitle(name: string): string {
  if (isOwnRule(name)) return ownRule(name).title;
  return RULE_FACTS.find((candidate) => candidate.name === name)?.title ?? name;
}

/**
 * Name of a rule in tables and files. For a rule from a file, it is the name of the file with a mark that distinguishes
 * two texts of one file.
 */
export function ruleLabel(name: string): string {
  return isOwnRule(name) ? (ownRule(name).label ?? name) : name;
}

/**
 * The facts of the rule with a name such as `mt-grpo`, or with a name that contains all of a custom rule (ownName).
 * @throws {RangeError} listing the names.
 */
export function findFacts(name: string): RuleFacts {
  return isOwn(name) ? ownRule(name) : ruleNamed(RULE_FACTS, name);
}
