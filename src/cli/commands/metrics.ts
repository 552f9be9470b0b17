import type { Fact } from '../../environments/fact.ts';
import { ENVIRONMENTS, type RegisteredEnvironment } from '../../environments/registry.ts';
import { GROUPS, type MetricGroup, type MetricRow, UNITS } from '../../metrics/metric.ts';
import { METRICS, TABLES } from '../../metrics/metricTable.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT } from '../framework/errors.ts';
import { text } from '../framework/flags.ts';
import { PROGRAM } from '../framework/installation.ts';
import { show } from '../framework/policyFiles.ts';
import { alignedTable, markdownTable } from '../framework/terminal.ts';
import { withOutputs } from '../output/outputs.ts';

/** Path of the page of metrics. */
export const PAGE = 'docs/reference/metrics.md';

/** Command that writes the page of metrics. */
export const METRIC_PAGE_COMMAND = `${PROGRAM} metrics --docs ${PAGE}`;

/** Command that lists the metrics of an update, and writes their documentation. */
export const metricsCommand = defineCommand({
  name: 'metrics',
  summary: 'list the metrics of an update, or write their documentation',
  description:
    'Lists the metrics that an update reports in every environment. With --docs it writes a page about all metrics, ' +
    'including the metrics of each environment.',
  flags: {
    docs: text('FILE', `Write the page to this file. The repository uses ${PAGE}.`),
  },
  parameters: [],
  examples: ['', `--docs ${PAGE}`],
  async run({ flags: { docs } }, terminal) {
    if (docs === undefined) {
      const rows = METRICS.map(({ name, unit, help }) => [name, UNITS[unit], help]);
      terminal.out(`${alignedTable(['name', 'unit', 'meaning'], rows)}\n`);
      return EXIT.done;
    }
    await withOutputs(terminal, { docs }, { flag: 'docs' }, (outputs) =>
      outputs.docs.write(metricPage(Object.values(ENVIRONMENTS))),
    );
    terminal.err(`written: ${show(docs)}\n`);
    return EXIT.done;
  },
});

/** Returns the documentation of all metrics in Markdown. */
export function metricPage(environments: readonly RegisteredEnvironment[]): string {
  const groups = Object.keys(GROUPS) as MetricGroup[];
  const parts = [
    `<!-- Made from src/metrics and from the tables of the environments by \`${METRIC_PAGE_COMMAND}\`; change it there. -->`,
    '# Metrics',
    'This page lists the metrics of an update. The lines of `train --out`, saved runs and the CSV file of *Curves (CSV)* ' +
      'use the same names. If a metric has no value, JSON has null and CSV has an empty cell.',
    ...groups.flatMap((group) => groupParts(group)),
    '## Facts of environments',
    `Each environment has additional metrics. They are in \`facts\`; the lines of \`train --out\` have them without this prefix, and CSV files as \`${columnOf('facts')}:NAME\`. ` +
      'The metrics of the search environment are among the common metrics above, and null in other environments. ' +
      `Measurements on held-out tasks are in \`heldOut\`, and in CSV files as \`${columnOf('heldOut')}:NAME\`.`,
    ...environments.flatMap(environmentParts),
  ];
  return `${parts.join('\n\n')}\n`;
}

function groupParts(group: MetricGroup): string[] {
  const rows = METRICS.filter((row) => row.group === group).map((row: MetricRow) => [
    `\`${row.name}\``,
    UNITS[row.unit],
    row.column === undefined ? row.help : `${row.help}; a table of numbers, in CSV files \`${row.column}:NAME\``,
    row.missing ?? '',
  ]);
  return [`## ${GROUPS[group]}`, markdownTable(['metric', 'unit', 'meaning', 'null'], rows)];
}

function environmentParts({ name, title, facts, heldOut }: RegisteredEnvironment): string[] {
  const rows = (table: string, of: readonly Fact[]) =>
    of.map((fact) => [`\`${table}.${fact.name}\``, fact.label, UNITS[fact.format], fact.help]);
  return [
    `### ${title} (\`${name}\`)`,
    markdownTable(['metric', 'label', 'unit', 'meaning'], [...rows('facts', facts), ...rows('heldOut', heldOut)]),
  ];
}

function columnOf(table: (typeof TABLES)[number]['name']): string {
  return TABLES.find(({ name }) => name === table)?.column ?? '';
}
