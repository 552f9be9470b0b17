import { type RuleFacts, ruleNamed } from './rule.ts';
import { RULE_FACTS } from './ruleList.ts';
import { ownRule } from './rules/own/ownRule.ts';
import { isOwn, isOwnRule } from './rules/own/ownSource.ts';

/** The title of a rule for people; its name where the list lacks it (a run from a newer version). */
export function ruleTitle(name: string): string {
  if (isOwnRule(name)) return ownRule(name).title;
  return RULE_FACTS.find((candidate) => candidate.name === name)?.title ?? name;
}

/** What a rule is called in tables and files: its name, or that of its file with what tells two texts of one file apart. */
export function ruleLabel(name: string): string {
  return isOwnRule(name) ? (ownRule(name).label ?? name) : name;
}

/**
 * What is said of the rule of a name such as `mt-grpo`, or of a name that is all of a rule of one's own (ownName).
 * @throws {RangeError} listing the names.
 */
export function findFacts(name: string): RuleFacts {
  return isOwn(name) ? ownRule(name) : ruleNamed(RULE_FACTS, name);
}
