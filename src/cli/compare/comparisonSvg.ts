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
/** Colour and dashes together distinguish lines, up to the number of pairs. */
const STYLES = ['', '6 3', '2 2'].flatMap((dash) => COLOURS.map((colour) => ({ colour, dash })));

/** The curves of a comparison as an SVG file: every seed as a thin line, the means bold. */
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

/** Styles that no rule has for itself. */
function freeStyles(used: readonly { readonly colour: string; readonly dash: string }[]) {
  return STYLES.filter((style) => !used.some(({ colour, dash }) => colour === style.colour && dash === style.dash));
}
