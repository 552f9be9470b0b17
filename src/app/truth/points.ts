import { isClear } from '../../experiments/truth/trueAdvantages.ts';
import type { MeasuredTurn, TruthReport } from '../../training/data/truthReport.ts';

/** Measured turn in the scatter plot. */
export interface Point extends MeasuredTurn {
  /** Index of the group in the report. */
  readonly group: number;
  /** True if the sign of the measured advantage is certain (see `isClear`). */
  readonly clear: boolean;
}

/** Comparison of a rule's advantage of a turn with the measured advantage. */
export type SignComparison = 'right' | 'wrong' | 'silent' | 'unclear' | 'pruned';

/** Returns all turns in ascending order of their measured advantages. */
export function pointsOf({ groups }: TruthReport): Point[] {
  return groups
    .flatMap(({ turns }, group) => turns.map((turn) => ({ ...turn, group, clear: isClear(turn.advantage) })))
    .sort((a, b) => a.advantage.mean - b.advantage.mean);
}

/** Threshold below which an advantage counts as 0. */
const ZERO = 1e-9;

export function compareSigns({ rules, clear, advantage }: Point, rule: string): SignComparison {
  const value = rules[rule] ?? null;
  if (value === null) return 'pruned';
  if (!clear) return 'unclear';
  if (Math.abs(value) <= ZERO) return 'silent';
  return Math.sign(value) === Math.sign(advantage.mean) ? 'right' : 'wrong';
}

/** Straight line. */
export interface Line {
  readonly slope: number;
  readonly intercept: number;
}

/** Advantages of one rule as a function of the measured advantages. */
export interface RuleCloud {
  readonly rule: string;
  /** Largest absolute advantage; 0 if all are 0. */
  readonly maximum: number;
  /** Least-squares fit of the rule's advantage on the measured advantage. Absent if one of them does not vary. */
  readonly fit?: Line;
}

export function cloudOf(points: readonly Point[], rule: string): RuleCloud {
  const pairs = points.flatMap(({ rules, advantage }): (readonly [number, number])[] => {
    const value = rules[rule] ?? null;
    return value === null ? [] : [[advantage.mean, value]];
  });
  const maximum = Math.max(0, ...pairs.map(([, value]) => Math.abs(value)));
  const count = pairs.length;
  const [meanX, meanY] = [0, 1].map((side) => pairs.reduce((sum, pair) => sum + pair[side as 0 | 1], 0) / count);
  let [xx, xy, yy] = [0, 0, 0];
  for (const [x, y] of pairs) {
    xx += (x - meanX) ** 2;
    xy += (x - meanX) * (y - meanY);
    yy += (y - meanY) ** 2;
  }
  if (!(xx > ZERO ** 2 && yy > ZERO ** 2)) return { rule, maximum };
  return { rule, maximum, fit: { slope: xy / xx, intercept: meanY - (xy / xx) * meanX } };
}

/** Returns the ends of the axis of measured advantages. The axis includes all error bars and 0. */
export function truthExtent(points: readonly Point[]): [number, number] {
  const low = Math.min(0, ...points.map(({ advantage }) => advantage.mean - advantage.error));
  const high = Math.max(0, ...points.map(({ advantage }) => advantage.mean + advantage.error));
  return low < high ? [low, high] : [-1, 1];
}
