import {
  type ParameterTable,
  type ParameterValue,
  type ParameterValues,
  parseParameters,
} from '../../parameters/parameters.ts';
import type { RuleFacts } from '../rule.ts';

/**
 * A rule's parameters as controls of a run: under the names that they have there (`Parameter.control`), without those
 * that a run does not offer; and what a run plays for it.
 */
export function ruleControls(rule: RuleFacts): ParameterTable {
  const ruleParameters = rule.parameters.flatMap((parameter) =>
    parameter.control === false ? [] : [{ ...parameter, name: parameter.control ?? parameter.name }],
  );
  return [...ruleParameters, ...(rule.samplingParameters ?? [])];
}

/** The values of a rule's own parameters, picked from the controls of a run. */
export function ruleValues(rule: RuleFacts, controls: ParameterValues): ParameterValues {
  const values: Record<string, ParameterValue> = {};
  for (const { name, control = name } of rule.parameters) {
    if (control !== false && controls[control] !== undefined) values[name] = controls[control];
  }
  return values;
}

/**
 * Parameters of a rule from outside, each under its own name.
 * @throws {ParameterError} naming the parameter, what is wrong and what is allowed
 */
export function parseRuleParameters(rule: RuleFacts, given: Readonly<Record<string, unknown>>): ParameterValues {
  return parseParameters(rule.parameters, given);
}
