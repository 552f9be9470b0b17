import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';
import { creditOf, runChoice } from '../inspector/choice.ts';

/** Cached parameters of all rules, by the controls from which they are computed. */
const choices = new WeakMap<ParameterValues, ReturnType<typeof runChoice>>();

/**
 * Computes the advantages of a group in float64.
 * @returns [turns] advantages; undefined if the rule cannot read the group
 */
export function laneCredit(group: Group, rule: string, controls: ParameterValues): Float64Array | undefined {
  const choice = choices.get(controls) ?? runChoice(rule, controls);
  choices.set(controls, choice);
  return creditOf(group, choice, rule).credit?.advantage;
}
