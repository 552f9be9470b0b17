import { type ArmVerdict, armVerdicts } from '../../experiments/compare/armClaims.ts';
import { armTable, budgetOf, type Cell, type Column, curveOf, GOAL } from '../../experiments/compare/armTable.ts';
import { defaults, type ParameterTable, type ParameterValues } from '../../parameters/parameters.ts';
import { tablesOf } from '../../training/data/configurationTables.ts';
import { alignedTable, markdownTable } from '../framework/text.ts';
import type { ArmsFile } from './compareArmsFile.ts';
import { type Curves, curvesSvg, endings } from './curvesSvg.ts';

/** The table, how to read it, and the verdicts, for the terminal. */
export function armsText(file: ArmsFile): string {
  const { head, rows } = cells(file);
  const found = verdictsOf(file).map(({ status, statement, found }) => [status, statement, found]);
  const list = found.length > 0 ? `\n\n${alignedTable(['claim', 'of the paper', 'found'], found)}` : '';
  return `${alignedTable(head, rows)}\n\n${notes(file).join('\n')}${list}\n`;
}

/** The same as Markdown. */
export function armsMarkdown(file: ArmsFile): string {
  const { head, rows } = cells(file);
  const list = verdictsOf(file).map(({ status, statement, found }) => `- **${status}**: ${statement}: ${found}`);
  return `${markdownTable(head, rows)}\n\n${notes(file).join('\n')}\n\n${list.join('\n')}\n`;
}

function verdictsOf(file: ArmsFile): readonly ArmVerdict[] {
  return armVerdicts(file, file.arms);
}

function cells(file: ArmsFile): { head: string[]; rows: string[][] } {
  const { columns, rows } = armTable(file, file.arms);
  return {
    head: ['arm', 'seeds', ...columns.map(({ title, format }) => (format === 'percent' ? `${title}, %` : title))],
    rows: rows.map(({ name, seeds, cells: own }) => [
      name,
      String(seeds),
      ...own.map((cell, index) => cellText(cell, columns[index], seeds)),
    ]),
  };
}

/** "45.6 ± 1.2", "45.6" on one seed, "34 ± 3 (2 of 3)" where not all seeds have a value, "-" where none has. */
function cellText({ mean, deviation, count }: Cell, { format }: Column, seeds: number): string {
  if (count === 0) return '-';
  const text = (value: number) => {
    if (format === 'percent') return (100 * value).toFixed(1);
    return format === 'share' ? value.toFixed(2) : value.toFixed(value < 20 ? 1 : 0);
  };
  const spread = Number.isFinite(deviation) ? ` ± ${text(deviation)}` : '';
  return `${text(mean)}${spread}${count < seeds ? ` (${count} of ${seeds})` : ''}`;
}

function notes(file: ArmsFile): string[] {
  const { plan, device } = file;
  const { title, mean, unequal } = budgetOf(file, file.arms);
  const off = unequal.map((arm) => `${arm.name} ${arm.mean.toFixed(0)}`).join(', ');
  const reasons = new Set(verdictsOf(file).flatMap(({ reason }) => reason ?? []));
  const other = changed(plan.environment, plan.settings, plan.controls);
  const own =
    plan.environment === 'repair'
      ? 'Ties: groups whose rollouts got the same reward under the rule of the arm, in the first and last quarter of the updates.'
      : `Zero advantage: steps without credit in groups with different outcomes. Updates to ${100 * GOAL} %: until training ` +
        'solves so many, mean over nine updates; seeds that never do are left out of the mean.';
  return [
    `Mean ± sample deviation over seeds, ${plan.steps} updates a run. All runs start from the same policy; the arms of a ` +
      'seed differ in what their names say alone.',
    `Held-out problems${plan.problems > 0 ? ` (the first ${plan.problems})` : ''}, ${plan.samples} ${plan.samples === 1 ? 'episode' : 'episodes'} each, temperature ` +
      `${plan.sampling.temperature}, top-p ${plan.sampling.topP}; the base with the draws of each seed.`,
    own,
    'Retained: turns that the update computed. Times are those of the clock: of one machine and what else it did; executing ' +
      'is the wait for programs.',
    off === ''
      ? `Budget: ${title} are equal, to 5 % (mean ${mean.toFixed(0)}).`
      : `Budget: ${title} are NOT equal. Mean ${mean.toFixed(0)}; more than 5 % off: ${off}.`,
    ...(other.length > 0 ? [`Not standard, for all arms: ${other.join(', ')}.`] : []),
    ...(device ? [`Device: ${device}.`] : []),
    ...[...reasons].map((reason) => `Undecided: ${reason}.`),
  ];
}

/** Settings and controls that are not what they are by default. */
function changed(environment: ArmsFile['plan']['environment'], ...given: readonly ParameterValues[]): string[] {
  const { settings, controls } = tablesOf(environment);
  const standard = defaults([...settings, ...controls] as ParameterTable);
  return given.flatMap((values) =>
    Object.entries(values).flatMap(([name, value]) => (standard[name] === value ? [] : [`${name} ${value}`])),
  );
}

const COLOURS = ['#d9661f', '#3b82d6', '#1a9a7f', '#a05bd1', '#b8860b', '#d1477f'];
/** Colour and dashes together tell lines apart, as far as there are pairs. */
const STYLES = ['', '6 3', '2 2'].flatMap((dash) => COLOURS.map((colour) => ({ colour, dash })));
/** Updates of few tasks scatter: a point of a mean line is the mean of so many. */
const WINDOW = 9;

const PANELS = {
  repair: [
    { metric: 'pass1', title: 'Solved at once', note: 'share of first programs' },
    { metric: 'degenerate', title: 'Ties', note: 'share of groups, own reward' },
  ],
  repo: [
    { metric: 'solved', title: 'Solved', note: 'share of episodes' },
    { metric: 'tested', title: 'Tested before finish', note: 'share of episodes' },
  ],
} as const;

/** The curves of the runs as an SVG file. */
export function armsSvg(file: ArmsFile): string {
  const { environment, steps } = file.plan;
  const panels = PANELS[environment];
  const arms = file.arms.filter(({ name }) => file.runs.some(({ arm }) => arm.name === name));
  const curves = arms.map(({ name }, index): Curves => {
    const runs = file.runs.filter(({ arm }) => arm.name === name);
    const own = panels.map(({ metric }) => runs.map((run) => curveOf(run, metric)));
    return { label: name, ...STYLES[index % STYLES.length], panels: own };
  });
  const description =
    `${panels.map(({ title }) => title).join(' and ')} over ${steps} updates in the environment ${environment}; thin lines ` +
    `are seeds, bold lines their means over ${WINDOW} updates. ${curves.map((line) => `${line.label} ends at ${endings({ panels }, line)}.`).join(' ')}`;
  return curvesSvg({
    title: `Credit rules compared: ${environment}`,
    description,
    panels,
    curves,
    steps,
    window: WINDOW,
  });
}
