import { measuredColumn } from '../../environments/declaredComparison.ts';
import { log } from '../../numbers/logarithm.ts';
import { square } from '../../numbers/powers.ts';
import type { TruthPlan } from '../../training/data/truthReport.ts';
import { mean } from '../statistics.ts';
import { errorsByVisits, type VisitRow } from '../truth/errorsByVisits.ts';
import { measureTruth } from '../truth/measureTruth.ts';
import type { TruthTrainer } from '../truth/truthTrainer.ts';
import { createStatisticsColumn } from './columns.ts';
import type { Amount, StatisticsColumn } from './compared.ts';
import type { ComparisonPlan, Measured } from './findings.ts';

// Measurement of an agent's advantages by the visits of a state, in a comparison: bias and variance of the RTMC
// advantages, compared with continuations.

/** Asks for the measurement; without it no continuation is played. */
export const VISITS_AMOUNT: Amount = {
  help:
    'Measure the true advantages in this many groups of training problems, and report bias and variance of the advantages ' +
    'of RTMC by the number of rollouts that visited a state; 0: off.',
  ...{ min: 0, max: 1_000, default: 0 },
};

/** Number of episodes that continue from every history. */
const CONTINUATIONS = 32;
const RULE = 'rtmc';

/** Least visits of the rows that are reported (errorsByVisits). */
const ROWS = [
  ['1', '1 visit'],
  ['2', '2 to 3 visits'],
  ['4', '4 to 7 visits'],
  ['8', '8 visits or more'],
] as const;

/**
 * Returns the plan for the quantity that RTMC estimates: rewards of turns too, discounted as in the run. Groups that
 * tie are included. A selection of groups by how they ended would be a bias.
 */
function truthPlan({ controls }: Pick<TruthTrainer, 'controls'>, groups: number): TruthPlan {
  const { rtmcGamma: gamma, bonus } = controls as Record<string, number>;
  return {
    ...{ rules: [RULE], groups, continuations: CONTINUATIONS, split: 'train', ties: 'keep', gradientGroups: 0 },
    counts: { kind: 'rewards', gamma, bonus },
  };
}

/** Bias and variance by visits, and how they change with them: `bias`, `slope`, `bias:8`, `variance:8`. Nothing where it was stopped. */
export async function visitsMeasured(trainer: TruthTrainer, groups: number, signal?: AbortSignal): Promise<Measured> {
  if (groups === 0) return {};
  const report = await measureTruth(trainer, truthPlan(trainer, groups), signal ? { signal } : {});
  if (!report || report.groups.length < groups) return {};
  // The intervals of one policy are not used here: seeds have separate intervals.
  return visitNumbers(errorsByVisits(report.groups, RULE, trainer.seed, 0));
}

/** The numbers of a run; null where no state had so many visits. */
export function visitNumbers(rows: readonly VisitRow[]): Measured {
  const turns = rows.reduce((sum, row) => sum + row.turns, 0);
  const bias = rows.reduce((sum, row) => sum + row.turns * row.bias.value, 0) / turns;
  const each = ROWS.flatMap(([from]): [string, number | null][] => {
    const row = rows.find((candidate) => candidate.from === Number(from));
    return [
      [`bias:${from}`, row?.bias.value ?? null],
      [`variance:${from}`, row?.variance.value ?? null],
    ];
  });
  return { bias: turns === 0 ? null : bias, slope: slopeOf(rows), ...Object.fromEntries(each) };
}

/**
 * Slope of the logarithm of the variance against that of the visits, by least squares. The slope is -1 if the variance
 * is only that of a mean of N independent returns, and 0 if visits change nothing. A row counts by its turns, and its
 * position is its least visits. A row is left out if all of its variance comes from the measurement itself.
 * @returns null with fewer than two rows
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

export function visitColumns({ measuring: { visits = 0 } }: ComparisonPlan): readonly StatisticsColumn[] {
  if (visits === 0) return [];
  const each = ROWS.flatMap(([from, label]): [string, string][] => [
    [`bias:${from}`, `bias, ${label}`],
    [`variance:${from}`, `variance, ${label}`],
  ]);
  const all: readonly [string, string][] = [['slope', 'slope of the variance'], ['bias', 'bias'], ...each];
  return all.flatMap(([name, title]) => {
    const column = measuredColumn(name, title, 'share');
    return column.format === 'points' ? [] : [createStatisticsColumn(column)];
  });
}

export function visitNotes({ measuring: { visits = 0 } }: ComparisonPlan): readonly string[] {
  if (visits === 0) return [];
  return [
    `Bias and variance: of the advantage of RTMC minus the advantage from ${CONTINUATIONS} continuations of every history, over the turns of ${visits} groups ` +
      'of training problems, including groups that tie; visits are the rollouts of the group that visited the state, and the ' +
      'variance of the measurement is subtracted. Slope: of the logarithm of the variance over the logarithm of the visits.',
  ];
}
