import type { Group } from '../../rollouts/forest.ts';
import type { RuleOutcome } from './choice.ts';

/** Missing fields that prevent several rules from reading a group. */
export interface MissingFields {
  /** Fields that the rules read and that no turn of the group has. */
  readonly fields: readonly string[];
  /** Titles of the rules. */
  readonly rules: readonly string[];
}

/**
 * Collects the rules that cannot read a group by their missing fields. The entry with the fewest fields comes first.
 */
export function missingFields(group: Group, unreadable: readonly RuleOutcome[]): readonly MissingFields[] {
  const lacking = (field: string) => group.turns.every((turn) => turn[field] === undefined);
  const byFields = new Map<string, string[]>();
  for (const { rule } of unreadable) {
    const fields = rule.reads.filter(lacking).join();
    if (fields !== '') byFields.set(fields, [...(byFields.get(fields) ?? []), rule.title]);
  }
  return [...byFields]
    .map(([fields, rules]) => ({ fields: fields.split(','), rules }))
    .sort((a, b) => a.fields.length - b.fields.length || b.rules.length - a.rules.length);
}
