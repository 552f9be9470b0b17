import {
  type ParameterTable,
  type ParameterValue,
  type ParameterValues,
  parseParameters,
} from '../parameters/parameters.ts';
import { type RuleFacts, ruleNamed } from './rule.ts';
import { RULE_FACTS } from './ruleList.ts';
import { getCustomRule, isCustomRule, isCustomRuleName } from './rules/custom/customRule.ts';

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

/**
 * Returns the parameters of a rule as controls of a run, named by `Parameter.control`, without parameters that a run
 * does not offer. The sampling parameters of the rule follow.
 */
export function ruleControls(rule: RuleFacts): ParameterTable {
  const ruleParameters = rule.parameters.flatMap((parameter) =>
    parameter.control === false ? [] : [{ ...parameter, name: parameter.control ?? parameter.name }],
  );
  return [...ruleParameters, ...(rule.samplingParameters ?? [])];
}

/** Selects the values of a rule's parameters from the controls of a run. */
export function ruleValues(rule: RuleFacts, controls: ParameterValues): ParameterValues {
  const values: Record<string, ParameterValue> = {};
  for (const { name, control = name } of rule.parameters) {
    if (control !== false && controls[control] !== undefined) values[name] = controls[control];
  }
  return values;
}

/**
 * Parses parameters of a rule from external input, by parameter name.
 * @throws {ParameterError} that names the parameter, the problem and the allowed values
 */
export function parseRuleParameters(rule: RuleFacts, given: Readonly<Record<string, unknown>>): ParameterValues {
  return parseParameters(rule.parameters, given);
}
