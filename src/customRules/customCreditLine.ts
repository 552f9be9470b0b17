import { type CustomRuleResult, resultOf } from '../credit/rules/custom/customRule.ts';
import type { Group } from '../rollouts/forest.ts';

/**
 * Returns the result of a custom rule for a group as a line of JSON. The fields are id, `advantage` (or `advantages`,
 * with one list per turn), and the intermediate values of the rule. `python -m turnwise_rl credit` writes the same
 * bytes.
 * @throws {Error} for a group that was not computed
 */
export function formatCustomCreditLine(name: string, group: Group): string {
  const result = resultOf(name, group);
  if (!result || result instanceof Error) throw result ?? new Error(`group ${group.id} has not been computed`);
  const { advantage, intermediate }: CustomRuleResult = result;
  const lists = advantage.some((value) => Array.isArray(value));
  const fields = Object.entries({ [lists ? 'advantages' : 'advantage']: advantage, ...intermediate });
  const written = fields.map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{"id":${JSON.stringify(group.id)}${written.join('')}}\n`;
}
