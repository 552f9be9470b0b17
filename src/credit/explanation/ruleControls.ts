import {
  type ParameterTable,
  type ParameterValue,
  type ParameterValues,
  parseParameters,
} from '../../parameters/parameters.ts';
import type { RuleFacts } from '../rule.ts';

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
