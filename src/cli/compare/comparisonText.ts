import { conclusionsOf } from '../../experiments/claims/comparisonConclusions.ts';
import { isSwitched } from '../../experiments/compare/arms.ts';
import type { Column } from '../../experiments/compare/compared.ts';
import { COMPARED } from '../../experiments/compare/comparedEnvironments.ts';
import {
  budgetOf,
  comparisonTable,
  type Points,
  type SummaryStatistics,
} from '../../experiments/compare/comparisonTable.ts';
import {
  afterSwitch,
  beforeSwitch,
  type ComparisonPlan,
  listReportSteps,
  switchRows,
} from '../../experiments/compare/findings.ts';
import { LAST, mean, RADIUS } from '../../experiments/statistics.ts';
import { standardRun, worldOf } from '../../training/data/worlds.ts';
import { alignedTable, markdownTable, two } from '../framework/terminal.ts';
import type { ComparisonFile } from './comparisonFile.ts';

/** Formats the table, the notes on how to read it, and the conclusions for the terminal. */
export function comparisonText(file: ComparisonFile): string {
  const { head, rows } = comparisonCells(file);
  const findings = conclusionsOf(file, file.arms).map(({ status, statement, finding }) => [status, statement, finding]);
  const list = findings.length > 0 ? `\n\n${alignedTable(['conclusion', 'claim', 'found'], findings)}` : '';
  return `${alignedTable(head, rows)}\n\n${notes(file).join('\n')}${list}\n`;
}

/** Formats the table, the notes and the conclusions as Markdown. */
export function comparisonMarkdown(file: ComparisonFile): string {
  const { head, rows } = comparisonCells(file);
  const list = conclusionsOf(file, file.arms).map(
    ({ status, statement, finding }) => `- **${status}**: ${statement} (${finding})`,
  );
  return `${markdownTable(head, rows)}\n\n${notes(file).join('\n')}\n\n${list.join('\n')}\n`;
}

/**
 * Returns the head and the rows of the table.
 * @param columns columns of a comparison without switched arms; absent for all columns of its environment
 */
export function comparisonCells(
  file: ComparisonFile,
  columns = COMPARED[file.plan.environment].columns(file.plan),
): { head: string[]; rows: string[][] } {
  if (file.arms.some(isSwitched)) return switchCells(file);
  const { rows } = comparisonTable(file, file.arms, columns);
  return {
    head: ['arm', 'seeds', ...columns.map(({ title, format }) => (format === 'percent' ? `${title}, %` : title))],
    rows: rows.map(({ name, seeds, cells: values }) => [
      name,
      String(seeds),
      ...values.map((cell, index) => cellText(cell, columns[index], seeds)),
    ]),
  };
}

/**
 * Formats a cell: "45.6 ± 1.2", "45.6" for one seed, "34 ± 3 (2 of 3)" if some seeds have no value, "-" if no seed has
 * a value.
 */
function cellText(cell: SummaryStatistics | Points, { format }: Column, seeds: number): string {
  if ('points' in cell) return cell.points.map(two).join('/');
  const { mean, deviation, count } = cell;
  if (count === 0) return '-';
  if (format === 'count') return `${Math.round(mean * count)} of ${count}`;
  const text = (value: number) => {
    if (format === 'rate') return two(value);
    if (format === 'percent') return (100 * value).toFixed(1);
    return format === 'share' ? value.toFixed(2) : value.toFixed(value < 20 ? 1 : 0);
  };
  const deviationText = format !== 'rate' && Number.isFinite(deviation) ? ` ± ${text(deviation)}` : '';
  return `${text(mean)}${deviationText}${count < seeds ? ` (${count} of ${seeds})` : ''}`;
}

function notes(file: ComparisonFile): string[] {
  const { plan, device } = file;
  const reasons = new Set(conclusionsOf(file, file.arms).flatMap(({ reason }) => reason ?? []));
  const changes = changed(plan);
  return [
    ...worldNote(plan),
    ...(file.arms.some(isSwitched)
      ? switchNotes(file)
      : [...COMPARED[plan.environment].notes(plan), ...budgetNote(file)]),
    ...(changes.length > 0 ? [`Changed from the standard run, for all arms: ${changes.join(', ')}.`] : []),
    ...(device ? [`Device: ${device}.`] : []),
    ...[...reasons].map((reason) => `Open: ${reason}.`),
  ];
}

function worldNote(plan: ComparisonPlan): string[] {
  const world = worldOf(plan);
  return world ? [`World: ${world.name}.`] : [];
}

function budgetNote(file: ComparisonFile): string[] {
  const budget = budgetOf(file, file.arms);
  if (!budget) return [];
  const { title, mean, unequal } = budget;
  const off = unequal.map((arm) => `${arm.name} ${arm.mean.toFixed(0)}`).join(', ');
  return [
    off === ''
      ? `Budget: ${title} are equal, to 5 % (mean ${mean.toFixed(0)}).`
      : `Budget: ${title} are NOT equal. Mean ${mean.toFixed(0)}; more than 5 % off: ${off}.`,
  ];
}

/** Returns the settings and controls that differ from the standard run of the world. */
function changed({ environment, settings: world, controls: training }: ComparisonPlan): string[] {
  const usual = standardRun(environment, worldOf({ environment, settings: world }));
  const standard = { ...usual.settings, ...usual.controls };
  return [world, training].flatMap((values) =>
    Object.entries(values).flatMap(([name, value]) => (standard[name] === value ? [] : [`${name} ${value}`])),
  );
}

/** Returns the table of runs after a switch: means over seeds of the first metric in the environment's figure. */
function switchCells(file: ComparisonFile): { readonly head: string[]; readonly rows: string[][] } {
  const { plan } = file;
  const { metric, title } = switchPanel(plan);
  const updates = listReportSteps(plan);
  return {
    head: ['from', 'to', 'at', 'seeds', `${title.toLowerCase()} before`, ...updates.map((update) => `${update} later`)],
    rows: switchRows(file, file.arms).map(({ from, to, step, runs }) => [
      ...[from, to, String(step), String(runs.length)],
      two(mean(runs.map((run) => beforeSwitch(run, metric)))),
      ...updates.map((update) => two(mean(runs.map((run) => afterSwitch(run, metric, update))))),
    ]),
  };
}

/** Returns notes that explain how to read the table. */
function switchNotes({ plan, arms }: Pick<ComparisonFile, 'plan' | 'arms'>): readonly string[] {
  const { title, note } = switchPanel(plan);
  const habit = Math.max(0, ...arms.map((arm) => arm.switch?.habit ?? 0));
  return [
    `${title}: ${note.replace(/\.$/, '')}; means over the seeds. A row is a run that switches from one rule to another after ` +
      'the number of updates in "at".',
    `Before: mean over the last ${LAST} updates before the switch. Later: mean around the update with this distance from the ` +
      `switch, with ${RADIUS} updates on either side.`,
    ...(habit > 0 ? [`Every run begins with ${habit} updates under the rule that it returns to.`] : []),
  ];
}

/** Returns the panel of the metric that describes a switch. */
export function switchPanel({ environment }: Pick<ComparisonPlan, 'environment'>) {
  return COMPARED[environment].drawing.panels[0];
}
