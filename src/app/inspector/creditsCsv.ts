import type { Group } from '../../rollouts/forest.ts';
import type { RuleOutcome } from './choice.ts';

/**
 * Formats the advantages of a group as CSV: one row per turn, and one column per rule that can read the group. The cell
 * of a pruned turn is empty.
 */
export function creditsCsv(group: Group, outcomes: readonly RuleOutcome[]): string {
  const read = outcomes.flatMap(({ rule, credit }) => (credit ? [{ name: rule.name, credit }] : []));
  const rows = group.turns.map(({ parent, reward, outcome }, turn) => {
    const advantages = read.map(({ credit }) => credit.advantage[turn]);
    return [turn, parent, reward, outcome ?? '', ...advantages.map((A) => (Number.isNaN(A) ? '' : A))];
  });
  const head = ['turn', 'parent', 'reward', 'outcome', ...read.map(({ name }) => name)];
  return [head, ...rows].map((row) => `${row.join(',')}\n`).join('');
}
