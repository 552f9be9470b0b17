import { type OwnResult, resultOf } from '../credit/rules/own/ownRule.ts';
import type { Group } from '../rollouts/forest.ts';

/**
 * What a rule of one's own said of a group as a line of JSON: id, `advantage` (or `advantages`, a list a turn), then the
 * values that it named; the same bytes as `python -m turnwise_rl credit` gives.
 * @throws {Error} for a group that was not worked out
 */
export function ownCreditLine(name: string, group: Group): string {
  const result = resultOf(name, group);
  if (!result || result instanceof Error) throw result ?? new Error(`group ${group.id} has not been worked out`);
  const { advantage, intermediate }: OwnResult = result;
  const lists = advantage.some((value) => Array.isArray(value));
  const fields = Object.entries({ [lists ? 'advantages' : 'advantage']: advantage, ...intermediate });
  const written = fields.map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{"id":${JSON.stringify(group.id)}${written.join('')}}\n`;
}
