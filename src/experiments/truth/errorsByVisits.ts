import { square } from '../../numbers/powers.ts';
import type { Interval, MeasuredGroup, MeasuredTurn } from '../../training/data/truthReport.ts';
import { mean, standardDeviation } from '../statistics.ts';
import { bootstrap, DRAWS, interval } from './trueAdvantages.ts';

// Dependence of the error of a rule's advantages on the number of rollouts that reached the state. Sections 3.2 and 3.3
// of the RTMC paper state that its variance falls with the visits, and that there is no bias.

/** Least visits of each row; the last one has no upper end. */
const ROWS = [1, 2, 4, 8] as const;

/** The errors of one rule at turns whose states had so many visits. */
export interface VisitRow {
  /** Visits from here to there; no `to` for the last row. */
  readonly from: number;
  readonly to?: number;
  readonly turns: number;
  /** Mean of the rule's advantage less the measured one. */
  readonly bias: Interval;
  /** Variance of that difference, less what the measurement's own error adds to it; below 0 where that is all of it. */
  readonly variance: Interval;
}

/** A turn, how many rollouts of its group came by its state, and the group. */
interface Visited {
  readonly turn: MeasuredTurn;
  readonly visits: number;
  readonly group: number;
}

/**
 * Errors by visits. Advantages are compared as they are: rules that normalise a group have another scale than the truth.
 * @param rule one of the report's; turns that it pruned, and turns without a state, are left out
 * @returns a row for each number of visits that occurs, in rising order; intervals draw groups, and are NaN for one alone
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
    const estimates = statistics([...selected.keys()]);
    const drawn = bootstrap(
      selected.map(({ group }) => group),
      draws,
      seed,
      statistics,
    );
    const [bias, variance] = estimates.map((value, at) =>
      interval(
        value,
        drawn.map((row) => row[at]),
      ),
    );
    return [{ from, ...(after === undefined ? {} : { to: after - 1 }), turns: selected.length, bias, variance }];
  });
}

/** Every turn with the number of rollouts of its group that came by its state. */
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
