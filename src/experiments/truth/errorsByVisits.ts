import { square } from '../../numbers/powers.ts';
import type { Interval, MeasuredGroup, MeasuredTurn } from '../../training/data/truthReport.ts';
import { bootstrapIntervals, DRAWS } from '../inference/bootstrap.ts';
import { mean, standardDeviation } from '../statistics.ts';

// Error of a rule's advantages by the number of rollouts that visit the state. Sections 3.2 and 3.3 of the RTMC paper
// state that the variance of RTMC falls with the visits and that its bias is 0.

/** Minimum number of visits of each row. The last row has no upper bound. */
const ROWS = [1, 2, 4, 8] as const;

/** Errors of a rule at turns whose states have a number of visits in a range. */
export interface VisitRow {
  /** Minimum and maximum number of visits; the last row has no `to`. */
  readonly from: number;
  readonly to?: number;
  readonly turns: number;
  /** Mean difference of the rule's advantage and the measured advantage. */
  readonly bias: Interval;
  /**
   * Variance of this difference minus the mean squared error of the measurement. It is negative if that error exceeds
   * it.
   */
  readonly variance: Interval;
}

/** Turn with the number of rollouts of its group that visit its state. */
interface Visited {
  readonly turn: MeasuredTurn;
  readonly visits: number;
  readonly group: number;
}

/**
 * Computes the errors of a rule by the number of visits. Advantages are compared unscaled, so a rule that normalises a
 * group has a different scale than the true advantages.
 * @param rule rule of the report; its pruned turns and turns without a state are omitted
 * @returns a row for each range of visits that occurs, in increasing order. Intervals resample groups and are NaN for a
 * single group.
 */
export function errorsByVisits(
  groups: readonly MeasuredGroup[],
  rule: string,
  seed: number,
  draws = DRAWS,
): VisitRow[] {
  const visited = groups.flatMap(visitsOf).filter(({ turn }) => typeof turn.rules[rule] === 'number');
  return ROWS.flatMap((from, index): VisitRow[] => {
    const after = ROWS[index + 1];
    const selected = visited.filter(({ visits }) => visits >= from && (after === undefined || visits < after));
    if (selected.length === 0) return [];
    const error = selected.map(({ turn }) => (turn.rules[rule] as number) - turn.advantage.mean);
    const noise = selected.map(({ turn }) => square(turn.advantage.error));
    const statistics = (members: readonly number[]) => {
      const errors = members.map((member) => error[member]);
      return [mean(errors), square(standardDeviation(errors)) - mean(members.map((member) => noise[member]))];
    };
    const clusters = selected.map(({ group }) => group);
    const [bias, variance] = bootstrapIntervals(clusters, seed, statistics, draws);
    return [{ from, ...(after === undefined ? {} : { to: after - 1 }), turns: selected.length, bias, variance }];
  });
}

/** Returns the turns that have a state, with the number of rollouts of the group that visit the state. */
function visitsOf({ turns }: MeasuredGroup, group: number): Visited[] {
  const visitors = new Map<string, Set<number>>();
  for (const { state, rollout } of turns) {
    if (state !== undefined) visitors.set(state, (visitors.get(state) ?? new Set()).add(rollout));
  }
  return turns.flatMap((turn) => {
    const visits = turn.state === undefined ? undefined : visitors.get(turn.state)?.size;
    return visits === undefined ? [] : [{ turn, visits, group }];
  });
}
