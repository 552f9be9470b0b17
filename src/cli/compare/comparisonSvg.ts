import { findRule, RULES } from '../../credit/rules.ts';
import { type Arm, isExpert, isSwitched } from '../../experiments/compare/arms.ts';
import { COMPARED } from '../../experiments/compare/comparedEnvironments.ts';
import { afterSwitch, beforeSwitch, curveOf, type SwitchRow, switchRows } from '../../experiments/compare/findings.ts';
import { meanSeries } from '../../experiments/statistics.ts';
import type { ComparisonFile } from './comparisonFile.ts';
import { switchPanel } from './comparisonText.ts';
import { alongUpdates, type Curves, curvesSvg, describeFinalValues } from './figures.ts';

/** Colours that are distinct both on white and on near-black. */
const COLOURS = ['#d9661f', '#3b82d6', '#1a9a7f', '#a05bd1', '#b8860b', '#d1477f'];
/** Line styles: all combinations of dashes and colour. */
const STYLES = ['', '6 3', '2 2'].flatMap((dash) => COLOURS.map((colour) => ({ colour, dash })));

/** Draws the curves of a comparison as an SVG file: a thin line per seed and a bold line per mean. */
export function comparisonSvg(file: ComparisonFile): string {
  return file.arms.some(isSwitched) ? switchSvg(file) : curvesOfArms(file);
}

function curvesOfArms(file: ComparisonFile): string {
  const { environment, steps } = file.plan;
  const { panels, window, styles, titles } = COMPARED[environment].drawing;
  // Expert iteration has no curves.
  const drawn = file.runs.filter(({ arm }) => !isExpert(arm));
  const arms = file.arms.filter(({ name }) => drawn.some(({ arm }) => arm.name === name));
  const free = freeStyles(Object.values(styles));
  const curves = arms.map((arm, index): Curves => {
    const runs = file.runs.filter((run) => run.arm.name === arm.name);
    const series = panels.map(({ metric }) => runs.map((run) => [...curveOf(run, metric)]));
    return { label: labelOf(arm, titles), ...(styles[arm.name] ?? free[index % free.length]), panels: series };
  });
  const means = window > 1 ? `their means over ${window} updates` : 'their means';
  const description =
    `${panels.map(({ title }) => title).join(' and ')} over ${steps} updates in the environment ${environment}; thin lines ` +
    `are seeds, bold lines ${means}. ` +
    curves.map((line) => `${line.label} ends at ${describeFinalValues({ panels }, line)}.`).join(' ');
  const title = `Credit rules compared: ${environment}`;
  return curvesSvg({ title, description, panels, curves, along: alongUpdates(steps), window });
}

function labelOf({ name, rule }: Arm, titles: boolean): string {
  return titles && name === rule ? findRule(rule).title : name;
}

/** Returns the styles that are not assigned to a rule. */
function freeStyles(used: readonly { readonly colour: string; readonly dash: string }[]) {
  return STYLES.filter((style) => !used.some(({ colour, dash }) => colour === style.colour && dash === style.dash));
}

/** Distance of the second curve from the switch [updates], limited by the length of the runs. */
const AFTER_UPDATES = 60;

const BEFORE = { colour: '#7a828a', dash: '4 4' } as const;
const AFTER = { colour: '#d9661f', dash: '' } as const;

/** Draws the metric before a switch and after it, over the update of the switch. Each direction has a panel. */
function switchSvg(file: ComparisonFile): string {
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
