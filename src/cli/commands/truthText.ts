import { ruleLabel } from '../../credit/ruleFacts.ts';
import { errorsByVisits } from '../../experiments/truth/errorsByVisits.ts';
import { CLEAR } from '../../experiments/truth/trueAdvantages.ts';
import type { GradientReport, Interval, TruthReport } from '../../training/data/truthReport.ts';
import { alignedTable, two } from '../framework/text.ts';

const signed = (value: number) => (value >= 0 ? `+${two(value)}` : two(value));
const range = ({ value, low, high }: Interval) => `${signed(value)} [${signed(low)}, ${signed(high)}]`;
const percent = (value: number) => (Number.isFinite(value) ? `${(100 * value).toFixed(0)} %` : '-');

/** Formats the table of a measurement, and notes on how to read it. */
export function truthText(report: TruthReport): string {
  const { plan, rules, groups, precision } = report;
  const table = alignedTable(
    [
      'rule',
      'correlation',
      `minus ${ruleLabel(plan.rules[0])}`,
      'wrong sign',
      'no advantage',
      'leakage',
      'clear turns',
      'turns',
    ],
    rules.map(({ rule, correlation, ahead, wrong, silent, leakage, clear, steps }) => [
      ruleLabel(rule),
      range(correlation),
      rule === plan.rules[0] ? '' : range(ahead),
      percent(wrong),
      percent(silent),
      percent(leakage),
      String(clear),
      String(steps),
    ]),
  );
  const { kind, gamma, bonus } = plan.counts;
  const counted =
    kind === 'outcome'
      ? 'the outcome'
      : `the outcome and the rewards of all turns${bonus > 0 ? ` with a validation bonus of ${bonus}` : ''}`;
  const turns = groups.reduce((sum, group) => sum + group.turns.length, 0);
  return [
    table,
    '',
    `Return: ${counted}, ${gamma === 1 ? 'not discounted' : `discounted by ${gamma} per turn`}. ${groups.length} groups ` +
      `(${report.drawn} drawn), ${turns} turns, ${report.histories} histories, ${report.continuations} continuations.`,
    report.continuations === 0
      ? `True advantages: exact under the current policy, standard deviation ${precision.deviation.toFixed(3)}.`
      : `True advantages: standard deviation ${precision.deviation.toFixed(3)}, error ${precision.error.toFixed(3)}, reliability ` +
        `${precision.reliability.toFixed(2)}${dilution(precision.reliability)}.`,
    `Intervals: 95 %, bootstrap over ${report.resampled}. Clear turns: the true advantage is more than ${CLEAR} standard errors ` +
      'from 0; wrong sign and no advantage are shares of the clear turns.',
    ...(report.gradients ? ['', gradientText(report.gradients)] : []),
    '',
  ].join('\n');
}

function gradientText({ groups, halves, rules }: GradientReport): string {
  const table = alignedTable(
    ['gradient', 'cosine of a group', 'of their sum', 'error'],
    rules.map(({ rule, cosine, summed, error }) => [
      ruleLabel(rule),
      range(cosine),
      signed(summed),
      Number.isFinite(error) ? two(error) : '-',
    ]),
  );
  return (
    `${table}\n\nThe cosines compare with the gradient of ${groups} other groups; the gradients of the halves of these groups ` +
    `have a cosine of ${signed(halves)}. truth: the same rollouts with their true advantages.`
  );
}

/**
 * Formats the errors of each rule by the visits of a state, or returns a message if no turn has a state.
 * @param seed seed of the bootstrap for the intervals
 */
export function visitsText({ plan, groups }: TruthReport, seed: number): string {
  const rows = plan.rules.flatMap((rule) =>
    errorsByVisits(groups, rule, seed).map(({ from, to, turns, bias, variance }) => [
      ruleLabel(rule),
      to === undefined ? `${from} or more` : from === to ? String(from) : `${from} to ${to}`,
      String(turns),
      range(bias),
      `${variance.value.toFixed(4)} [${variance.low.toFixed(4)}, ${variance.high.toFixed(4)}]`,
    ]),
  );
  if (rows.length === 0) return '\nNo turn has a state, so there are no visits to count.\n';
  const table = alignedTable(['rule', 'visits of the state', 'turns', 'bias', 'variance of the error'], rows);
  return `\n${table}\n\nVisits: rollouts of the group that visit the state. Error: advantage of the rule minus measured advantage; its variance excludes the variance of the measurement.\n`;
}

/** Describes the effect of the errors of the true advantages on correlations. */
function dilution(reliability: number): string {
  if (!(reliability > 0)) return '; the errors exceed the advantages: use more --continuations';
  return `; correlations with the exact advantages would be ${(1 / Math.sqrt(reliability)).toFixed(2)} times as large`;
}
