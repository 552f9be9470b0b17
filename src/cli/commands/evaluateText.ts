import { GRANULARITIES } from '../../environments/repo/repoSettings.ts';
import { EASY_FROM, type EvaluationCounts, MEDIUM_FROM } from '../../experiments/evaluation/heldOut.ts';
import type { RefinementReport } from '../../experiments/evaluation/repairEvaluation.ts';
import type { SharingReport } from '../../experiments/evaluation/repoEvaluation.ts';
import { type ScaffoldPlan, type ScaffoldReport, usesVerifier } from '../../experiments/scaffolds/evaluateScaffolds.ts';
import { expands } from '../../experiments/scaffolds/scaffold.ts';
import type { SummaryStatistics } from '../../experiments/statistics.ts';
import { alignedTable, two } from '../framework/terminal.ts';

// Text of the measurements that `evaluate` prints.

const percent = (value: number) => (100 * value).toFixed(1);
/** Formats a share in percent: "35.5" or "35.5 ± 0.8". */
const formatMean = ({ mean, deviation }: SummaryStatistics) =>
  deviation === null ? percent(mean) : `${percent(mean)} ± ${percent(deviation)}`;
const rate = ({ mean, deviation }: SummaryStatistics) =>
  deviation === null ? two(mean) : `${two(mean)} ± ${two(deviation)}`;

/** Formats rates by name, one per line. Shares and means have the same format. */
export function ratesText(rates: Readonly<Record<string, unknown>>): string {
  const formatValue = (value: unknown) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return '-';
    return Number.isInteger(value) ? String(value) : value.toFixed(3);
  };
  return `${alignedTable(
    ['rate', 'measured'],
    Object.entries(rates).map(([name, value]) => [name, formatValue(value)]),
  )}\n`;
}

/** Formats Iter-k, repair rate and pass@k, with one line per kind of feedback. */
export function refinementText(reports: readonly RefinementReport[], split: string): string {
  const [first] = reports;
  const { iterations, passAt, runs } = first;
  const last = `Iter-${iterations.length}`;
  const refined = alignedTable(
    ['feedback', ...iterations.map((_, turn) => `Iter-${turn + 1}, %`), 'repair rate', 'some tests, %', 'no test, %'],
    reports.map((report) => [
      report.feedback,
      ...report.iterations.map(formatMean),
      rate(report.repairRate),
      formatMean(report.partial),
      formatMean(report.none),
    ]),
  );
  const passes = alignedTable(
    ['feedback', 'by', ...passAt.map(({ k }) => `pass@${k}, %`)],
    reports.flatMap(({ feedback, passAt: passRates }) => [
      [feedback, 'Iter-1', ...passRates.map((entry) => formatMean(entry.first))],
      ...(iterations.length > 1 ? [[feedback, last, ...passRates.map((entry) => formatMean(entry.last))]] : []),
    ]),
  );
  const strata = reports.flatMap(({ feedback, strata = [] }) =>
    strata.flatMap(({ stratum, tasks, iterations, repairRate }) =>
      iterations && repairRate
        ? [[feedback, stratum, String(tasks), ...iterations.map(formatMean), rate(repairRate)]]
        : [],
    ),
  );
  const hard = alignedTable(
    ['feedback', 'difficulty', 'tasks', ...iterations.map((_, turn) => `Iter-${turn + 1}, %`), 'repair rate'],
    strata,
  );
  const written = reports.flatMap(({ feedback, writtenTestQuality }) => {
    if (!writtenTestQuality) return [];
    const { right, caught, wronged } = writtenTestQuality;
    return [[feedback, ...[right, caught, wronged].map(formatMean)]];
  });
  const headings = ['feedback', 'written tests right, %', 'wrong programs caught, %', 'right programs failed, %'];
  const displayed = written.length > 0 ? 'the tests that the policy wrote' : 'the visible tests';
  return [
    refined,
    ...(written.length > 0 ? ['', alignedTable(headings, written)] : []),
    ...(strata.length > 0 ? ['', hard] : []),
    ...(passAt.length > 0 ? ['', passes] : []),
    '',
    `${countedText(runs, split)} Scored on hidden tests. Feedback shows ${displayed}, and an episode stops when these tests pass.`,
    'Some tests: first programs that pass some tests but not all. No test: first programs that pass no test.',
    ...(written.length > 0 ? ['Caught: by a right written test. Failed: by a wrong written test.'] : []),
    ...(strata.length > 0 ? [STRATA_TEXT] : []),
    '',
  ].join('\n');
}

/** Formats the shares solved by each number of programs, with one line per scaffold. */
export function scaffoldsText(
  reports: readonly ScaffoldReport[],
  { scaffolds, children, verifier }: Pick<ScaffoldPlan, 'scaffolds' | 'children' | 'verifier'>,
  split: string,
): string {
  const [{ budgets, runs }] = reports;
  const shares = budgets.map((budget) => (budget === 1 ? '1 program, %' : `${budget}, %`));
  const table = alignedTable(
    ['scaffold', ...shares, 'spent'],
    reports.map(({ scaffold, solved, programCount }) => [scaffold, ...solved.map(formatMean), rate(programCount)]),
  );
  const strata = reports.flatMap(({ scaffold, strata = [] }) =>
    strata.flatMap(({ stratum, tasks, solved }) =>
      solved ? [[scaffold, stratum, String(tasks), ...solved.map(formatMean)]] : [],
    ),
  );
  const reflected = reports.flatMap(({ scaffold, reflections, newReflections, cached }) => {
    if (!reflections) return [];
    const row = (name: string, { written, followed, editShare }: typeof reflections, fresh?: SummaryStatistics) => [
      ...[name, ...[written, followed, editShare].map(formatMean)],
      fresh ? formatMean(fresh) : '',
    ];
    return [row(scaffold, reflections, newReflections), ...(cached ? [row('from the bank only', cached)] : [])];
  });
  const scaffoldNames = scaffolds.filter(usesVerifier).join(' and ');
  return [
    table,
    ...(reflected.length > 0 ? ['', alignedTable(REFLECTED, reflected)] : []),
    ...(strata.length > 0 ? ['', alignedTable(['scaffold', 'difficulty', 'tasks', ...shares], strata)] : []),
    '',
    `${countedText(runs, split)} Columns: share solved by that number of programs, scored on hidden tests; only visible tests ` +
      'guide the scaffolds. Spent: mean number of programs per episode.',
    ...(scaffoldNames ? [`The reward model ${verifier ? 'helps' : 'does not help'} ${scaffoldNames} to choose.`] : []),
    ...(reflected.length > 0
      ? [
          'Kept: the program after a readable reflection changes only what the reflection announces. New: no earlier reflection on ' +
            'the refined program announced the same change.',
        ]
      : []),
    ...(scaffolds.some(expands) ? [`An expanded program has ${children} refinements.`] : []),
    ...(strata.length > 0 ? [STRATA_TEXT] : []),
    '',
  ].join('\n');
}

const REFLECTED = ['scaffold', 'readable reflections, %', 'kept, %', 'announced edits made, %', 'new, %'];

/** Returns the size of an evaluation: "131 held-out tasks, 4 episodes per task, one run." */
function countedText(runs: readonly EvaluationCounts[], split: string): string {
  const [{ tasks, episodes }] = runs;
  const over = runs.length > 1 ? `${runs.length} runs: mean ± sample deviation over the runs` : 'one run';
  return `${tasks} ${split} tasks, ${episodes / tasks} episodes per task, ${over}.`;
}

const STRATA_TEXT = `Hard: less than ${percent(MEDIUM_FROM)} % of the first programs of the warm start solve the task; easy: ${percent(EASY_FROM)} % or more.`;

/** Formats the shares of steps in states that several rollouts of a problem visit, with one line per granularity. */
export function sharingText({ problems, rollouts, steps, sizes, shares }: SharingReport): string {
  const table = alignedTable(
    ['states', ...sizes.map((size) => `G = ${size}, %`)],
    GRANULARITIES.map((granularity) => [
      granularity,
      ...shares[granularity].map(({ value, low, high }) => `${percent(value)} [${percent(low)}, ${percent(high)}]`),
    ]),
  );
  return (
    `Steps in states that two or more of G rollouts visit:\n\n${table}\n\n` +
    `${problems} problems, ${rollouts} rollouts per problem, ${steps} steps. Mean over all groups of G among the ${rollouts} ` +
    'rollouts, with 95 % intervals by a bootstrap over problems.\n'
  );
}
