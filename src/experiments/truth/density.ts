import type { TruthReport } from '../../training/data/truthReport.ts';
import { confidence } from '../inference/inference.ts';
import { mean } from '../statistics.ts';

/** Measured settings of Search: maximum number of turns, and number of hops to the answer. */
export const DENSITY_SETTINGS = [
  [2, 1],
  [3, 1],
  [4, 1],
  [6, 1],
  [3, 2],
  [4, 2],
  [6, 2],
  [4, 3],
] as const;

/** Rules that are compared with the true advantages. The first rule gives all turns of a rollout the same advantage. */
export const DENSITY_RULES = ['grpo-or', 'mt-grpo', 'rtmc'] as const;

export const DENSITY_SEEDS: readonly number[] = Array.from({ length: 20 }, (_, seed) => seed);

/**
 * Absolute true advantage above which a turn counts as a decision. The outcome is 0 to 1. The standard error of an
 * advantage from 256 continuations is at most 0.045.
 */
const DECISIVE = 0.1;

/** Decision density of one setting and seed, and correlations of the rules with the true advantages. */
export interface DensityRow {
  readonly maxTurns: number;
  readonly hops: number;
  readonly seed: number;
  /** Number of turns of all rollouts. */
  readonly turns: number;
  /** Number of turns whose absolute true advantage exceeds DECISIVE. */
  readonly decisive: number;
  /** Share of the squared credit of the first rule on decisive turns; null if the rule assigns no credit. */
  readonly squared: number | null;
  /** Correlation with the true advantages, by rule; null if it is undefined. */
  readonly correlation: Readonly<Record<string, number | null>>;
}

/** Computes the decision density of a report and its correlations. */
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

/** Mean over seeds, and half the width of its 95 % confidence interval. */
export interface SeedMean {
  readonly mean: number;
  readonly half: number;
}

/** Means of a setting over its seeds. */
export interface DensityPoint extends Pick<DensityRow, 'maxTurns' | 'hops'> {
  readonly seeds: number;
  /** Share of decisive turns [0 to 1]. */
  readonly density: SeedMean;
  readonly squared: SeedMean;
  readonly correlation: Readonly<Record<string, SeedMean>>;
}

/**
 * Returns a point for each setting that has rows, in the order of DENSITY_SETTINGS. A mean omits seeds without a value.
 */
export function densityPoints(rows: readonly DensityRow[]): readonly DensityPoint[] {
  return DENSITY_SETTINGS.flatMap(([maxTurns, hops]): readonly DensityPoint[] => {
    const members = rows.filter((row) => row.maxTurns === maxTurns && row.hops === hops);
    if (members.length === 0) return [];
    const over = (read: (row: DensityRow) => number | null | undefined): SeedMean => {
      const values = members.map(read).filter((value): value is number => typeof value === 'number');
      return { mean: rounded(mean(values)), half: rounded(confidence(values)) };
    };
    return [
      {
        ...{ maxTurns, hops, seeds: members.length },
        density: over(({ decisive, turns }) => decisive / turns),
        squared: over(({ squared }) => squared),
        correlation: Object.fromEntries(
          DENSITY_RULES.map((rule) => [rule, over(({ correlation }) => correlation[rule])]),
        ),
      },
    ];
  });
}

const rounded = (value: number) => Number(value.toFixed(4));

/** Returns a Markdown table with a row for each point. */
export function densityTable(points: readonly DensityPoint[]): string {
  const text = ({ mean, half }: SeedMean) => `${mean.toFixed(2)} ± ${half.toFixed(2)}`;
  const rows = points.map(({ maxTurns, hops, seeds, density, squared, correlation }) =>
    [
      ...[`${maxTurns}`, `${hops}`, `${seeds}`, text(density), Math.sqrt(density.mean).toFixed(2)],
      ...[text(squared), ...DENSITY_RULES.map((rule) => text(correlation[rule]))],
    ].join(' | '),
  );
  const heads = ['turns', 'hops', 'seeds', 'density', '√density', 'squared credit on decisions', ...DENSITY_RULES];
  return [
    '',
    `| ${heads.join(' | ')} |`,
    `|${' --- |'.repeat(heads.length)}`,
    ...rows.map((row) => `| ${row} |`),
    '',
    '',
  ].join('\n');
}
