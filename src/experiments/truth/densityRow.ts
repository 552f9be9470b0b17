import type { TruthReport } from '../../training/data/truthReport.ts';
import { DECISIVE, type DensityRow } from './density.ts';

/** Returns the decision density of a report, and its correlations. */
export function densityRow(
  { groups, rules }: Pick<TruthReport, 'groups' | 'rules'>,
  setting: Pick<DensityRow, 'maxTurns' | 'hops' | 'seed'>,
): DensityRow {
  const turns = groups.flatMap((group) => group.turns);
  const isDecisive = ({ advantage }: (typeof turns)[number]) => Math.abs(advantage.mean) > DECISIVE;
  const credit = (turn: (typeof turns)[number]) => turn.rules[rules[0].rule] ?? 0;
  const squares = (of: typeof turns) => of.reduce((sum, turn) => sum + credit(turn) * credit(turn), 0);
  const decisive = turns.filter(isDecisive);
  const finite = (value: number) => (Number.isFinite(value) ? Number(value.toFixed(6)) : null);
  return {
    ...setting,
    ...{ turns: turns.length, decisive: decisive.length, squared: finite(squares(decisive) / squares(turns)) },
    correlation: Object.fromEntries(rules.map(({ rule, correlation }) => [rule, finite(correlation.value)])),
  };
}
