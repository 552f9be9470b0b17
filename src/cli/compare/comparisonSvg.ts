import { findRule } from '../../credit/rules.ts';
import { COMPARED } from '../../experiments/compare/comparedEnvironments.ts';
import { isExpert } from '../../experiments/compare/expertArm.ts';
import { type Arm, curveOf } from '../../experiments/compare/findings.ts';
import { isSwitched } from '../../experiments/compare/switching.ts';
import type { ComparisonFile } from './comparisonFile.ts';
import { alongUpdates, type Curves, curvesSvg, describeFinalValues } from './curvesSvg.ts';
import { switchSvg } from './switchSvg.ts';

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
