import { COMPARED } from '../../experiments/compare/comparedEnvironments.ts';
import type { ComparisonPlan } from '../../experiments/compare/findings.ts';
import { afterSwitch, beforeSwitch, listReportSteps, switchRows } from '../../experiments/compare/switchTable.ts';
import { LAST, mean, RADIUS } from '../../experiments/statistics.ts';
import { two } from '../framework/text.ts';
import type { ComparisonFile } from './comparisonFile.ts';

/** Returns the table of runs after a switch: means over seeds of the first metric in the environment's figure. */
export function switchCells(file: ComparisonFile): { readonly head: string[]; readonly rows: string[][] } {
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
export function switchNotes({ plan, arms }: Pick<ComparisonFile, 'plan' | 'arms'>): readonly string[] {
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
