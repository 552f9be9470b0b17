import { ENVIRONMENTS } from '../../environments/registry.ts';
import { UNITS } from '../../metrics/metric.ts';
import { METRICS } from '../../metrics/metricTable.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT } from '../framework/errors.ts';
import { text } from '../framework/flags.ts';
import { show } from '../framework/policyFiles.ts';
import { alignedTable } from '../framework/text.ts';
import { withOutputs } from '../output/outputs.ts';
import { metricPage, PAGE } from './metricPage.ts';

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
