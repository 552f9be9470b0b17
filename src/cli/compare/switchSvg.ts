import { RULES } from '../../credit/rules.ts';
import { afterSwitch, beforeSwitch, type SwitchRow, switchRows } from '../../experiments/compare/switchTable.ts';
import { meanSeries } from '../../experiments/statistics.ts';
import type { ComparisonFile } from './comparisonFile.ts';
import { type Curves, curvesSvg } from './curvesSvg.ts';
import { switchPanel } from './switchText.ts';

/** Distance of the second curve from the switch [updates], limited by the length of the runs. */
const AFTER_UPDATES = 60;

const BEFORE = { colour: '#7a828a', dash: '4 4' } as const;
const AFTER = { colour: '#d9661f', dash: '' } as const;

/** Draws the metric before a switch and after it, over the update of the switch. Each direction has a panel. */
export function switchSvg(file: ComparisonFile): string {
  const rows = switchRows(file, file.arms);
  const points = [...new Set(rows.map(({ step }) => step))].sort((a, b) => a - b);
  const { metric, title } = switchPanel(file.plan);
  const names = [...new Set(rows.map(directionOf))];
  const directions = names.map((name) => [name, rows.filter((row) => directionOf(row) === name)] as const);
  const updates = Math.min(AFTER_UPDATES, file.plan.steps);
  const of = (
    label: string,
    style: typeof BEFORE | typeof AFTER,
    read: (run: SwitchRow['runs'][number]) => number,
  ) => ({
    ...{ label, ...style },
    panels: directions.map(([, directionRows]) => seedsOf(directionRows, points, read)),
  });
  const curves: readonly Curves[] = [
    of('before', BEFORE, (run) => beforeSwitch(run, metric)),
    of(`${updates} later`, AFTER, (run) => afterSwitch(run, metric, updates)),
  ];
  const ends = directions.map(([direction], panel) => {
    const values = meanSeries(curves[1].panels[panel]).map((value, at) => `${value.toFixed(2)} at ${points[at]}`);
    return `${direction}: ${values.join(', ')}.`;
  });
  return curvesSvg({
    title: `${title} after a switch`,
    description: `${title} before a switch to another rule and ${updates} updates later, over the update of the switch. ${ends.join(' ')}`,
    panels: directions.map(([direction]) => ({
      title: direction,
      note: `${title.toLowerCase()}, every seed thin, the mean bold`,
    })),
    curves,
    along: { title: 'update of the switch', points },
  });
}

const directionOf = ({ from, to }: SwitchRow) => `${titleOf(from)} to ${titleOf(to)}`;

/** Returns the title of a rule. An arm with changed parameters is not a rule and returns its name. */
const titleOf = (name: string) => RULES.find((rule) => rule.name === name)?.title ?? name;

/** Returns the values [seeds][points] of the seeds that have a value at every point. */
function seedsOf(
  rows: readonly SwitchRow[],
  points: readonly number[],
  read: (run: SwitchRow['runs'][number]) => number,
) {
  const seeds = [...new Set(rows.flatMap(({ runs }) => runs.map(({ seed }) => seed)))];
  return seeds
    .map((seed) =>
      points.map((point) => {
        const run = rows.find(({ step }) => step === point)?.runs.find((candidate) => candidate.seed === seed);
        return run ? read(run) : NaN;
      }),
    )
    .filter((values) => values.every(Number.isFinite));
}
