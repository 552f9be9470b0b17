import { log, square } from '../../numbers/exponential.ts';
import type { Interval, MeasuredGroup, MeasuredTurn, TruthPlan } from '../../training/data/truthReport.ts';
import { bootstrapIntervals, DRAWS } from '../inference/inference.ts';
import { mean, sampleDeviation } from '../statistics.ts';
import type { TruthSampler } from '../truth/measuredGroup.ts';
import { measureTruth } from '../truth/measureTruth.ts';
import { measuredColumn, type OptionalMeasurement } from './compared.ts';
import type { Measured } from './findings.ts';

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
      return [mean(errors), square(sampleDeviation(errors)) - mean(members.map((member) => noise[member]))];
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

// Error of an agent's RTMC advantages by the number of visits of the state: bias and variance relative to
// continuations.

/** Number of continuations of each history. */
const CONTINUATIONS = 32;
const RULE = 'rtmc';

/** Minimum visits and label of the reported rows (errorsByVisits). */
const REPORTED_ROWS = [
  ['1', '1 visit'],
  ['2', '2 to 3 visits'],
  ['4', '4 to 7 visits'],
  ['8', '8 visits or more'],
] as const;

/**
 * Returns the plan for the quantity that RTMC estimates: discounted rewards of turns and the outcome, with the discount
 * of the run. Tied groups are included, because a selection by outcome causes a bias.
 */
function truthPlan({ controls }: Pick<TruthSampler, 'controls'>, groups: number): TruthPlan {
  const { rtmcGamma: gamma, bonus } = controls as Record<string, number>;
  return {
    ...{ rules: [RULE], groups, continuations: CONTINUATIONS, split: 'train', ties: 'keep', gradientGroups: 0 },
    counts: { kind: 'rewards', gamma, bonus },
  };
}

/**
 * Measures bias and variance by visits, and the slope of the variance: `bias`, `slope`, `bias:8`, `variance:8`. Returns
 * an empty object if the measurement was stopped.
 */
export async function visitsMeasured(trainer: TruthSampler, groups: number, signal?: AbortSignal): Promise<Measured> {
  if (groups === 0) return {};
  const report = await measureTruth(trainer, truthPlan(trainer, groups), signal ? { signal } : {});
  if (!report || report.groups.length < groups) return {};
  // The intervals of a single policy are not needed, because the comparison reports intervals over seeds.
  return visitNumbers(errorsByVisits(report.groups, RULE, trainer.seed, 0));
}

/** Converts the rows of a run to named numbers; null for a range of visits that does not occur. */
export function visitNumbers(rows: readonly VisitRow[]): Measured {
  const turns = rows.reduce((sum, row) => sum + row.turns, 0);
  const bias = rows.reduce((sum, row) => sum + row.turns * row.bias.value, 0) / turns;
  const each = REPORTED_ROWS.flatMap(([from]): [string, number | null][] => {
    const row = rows.find((candidate) => candidate.from === Number(from));
    return [
      [`bias:${from}`, row?.bias.value ?? null],
      [`variance:${from}`, row?.variance.value ?? null],
    ];
  });
  return { bias: turns === 0 ? null : bias, slope: slopeOf(rows), ...Object.fromEntries(each) };
}

/**
 * Computes the slope of the logarithm of the variance over the logarithm of the visits, by weighted least squares. The
 * slope is -1 for the variance of a mean of N independent returns, and 0 if visits have no effect. The weight of a row
 * is its number of turns, and its position is its minimum number of visits. Rows whose variance does not exceed the
 * measurement error are omitted.
 * @returns null for fewer than two rows
 */
export function slopeOf(rows: readonly VisitRow[]): number | null {
  const used = rows.filter(({ variance }) => variance.value > 0);
  if (used.length < 2) return null;
  const weight = used.map(({ turns }) => turns);
  const all = weight.reduce((sum, value) => sum + value, 0);
  const weighted = (values: readonly number[]) =>
    mean(values.map((value, at) => value * weight[at])) * (used.length / all);
  const x = used.map(({ from }) => log(from));
  const y = used.map(({ variance }) => log(variance.value));
  const [mx, my] = [weighted(x), weighted(y)];
  return weighted(x.map((value, at) => (value - mx) * (y[at] - my))) / weighted(x.map((value) => square(value - mx)));
}

/** Measurement of a number of groups. */
export const VISITS: OptionalMeasurement = {
  amount: {
    help:
      'Measure the true advantages in this many groups of training problems, and report bias and variance of the advantages ' +
      'of RTMC by the number of rollouts that visited a state; 0: off.',
    ...{ min: 0, max: 1_000, default: 0 },
  },
  columns: () => [
    measuredColumn('slope', 'slope of the variance', 'share'),
    measuredColumn('bias', 'bias', 'share'),
    ...REPORTED_ROWS.flatMap(([from, label]) =>
      ['bias', 'variance'].map((name) => measuredColumn(`${name}:${from}`, `${name}, ${label}`, 'share')),
    ),
  ],
  note: (groups) =>
    `Bias and variance: of the advantage of RTMC minus the advantage from ${CONTINUATIONS} continuations of every history, over the turns of ${groups} groups ` +
    'of training problems, including groups that tie; visits are the rollouts of the group that visited the state, and the ' +
    'variance of the measurement is subtracted. Slope: of the logarithm of the variance over the logarithm of the visits.',
};
