import { isClear } from '../../experiments/truth/trueAdvantages.ts';
import type { MeasuredTurn, TruthReport } from '../../training/data/truthReport.ts';

/** A measured turn as the drawing shows it. */
export interface Point extends MeasuredTurn {
  /** Index of its group. */
  readonly group: number;
  /** Its measured advantage is clearly not 0. */
  readonly clear: boolean;
}

/** Comparison of a rule's advantage of a turn with the measurement. */
export type SignComparison = 'right' | 'wrong' | 'silent' | 'unclear' | 'pruned';

/** All turns, the lowest measured advantage first; equal ones stay in their order. */
export function pointsOf({ groups }: TruthReport): Point[] {
  return groups
    .flatMap(({ turns }, group) => turns.map((turn) => ({ ...turn, group, clear: isClear(turn.advantage) })))
    .sort((a, b) => a.advantage.mean - b.advantage.mean);
}

/** Below this an advantage is 0. */
const ZERO = 1e-9;

export function compareSigns({ rules, clear, advantage }: Point, rule: string): SignComparison {
  const value = rules[rule] ?? null;
  if (value === null) return 'pruned';
  if (!clear) return 'unclear';
  if (Math.abs(value) <= ZERO) return 'silent';
  return Math.sign(value) === Math.sign(advantage.mean) ? 'right' : 'wrong';
}

/** A straight line. */
export interface Line {
  readonly slope: number;
  readonly intercept: number;
}

/** One rule's advantages over the measured ones. */
export interface RuleCloud {
  readonly rule: string;
  /** Largest absolute advantage; 0 where all are 0. */
  readonly maximum: number;
  /** Least squares of the rule's advantage on the measured one; absent where one of them does not vary. */
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

/** Ends of the axis of measured advantages: all of them with their errors, and 0. */
export function truthExtent(points: readonly Point[]): [number, number] {
  const low = Math.min(0, ...points.map(({ advantage }) => advantage.mean - advantage.error));
  const high = Math.max(0, ...points.map(({ advantage }) => advantage.mean + advantage.error));
  return low < high ? [low, high] : [-1, 1];
}
