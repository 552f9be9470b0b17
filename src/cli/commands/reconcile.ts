import { ImportError } from '../../rollouts/import/importError.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT } from '../framework/errors.ts';
import { text } from '../framework/flags.ts';
import { inputsOf, logFiles } from '../framework/logFiles.ts';
import { show } from '../framework/policyFiles.ts';
import { readLogs } from '../framework/readLogs.ts';
import { withOutputs } from '../output/outputs.ts';
import { importContext, LOG_FLAGS, LOGS } from './import.ts';
import { LoggedAdvantages } from './loggedAdvantages.ts';

/** Names the constants by which a trainer normalised the advantages that it logged. */
export const reconcileCommand = defineCommand({
  name: 'reconcile',
  summary: 'name the constants of the advantages in a log',
  description:
    'Computes the advantages of the logged rewards under every profile, divided by the deviation of the batch, and normalised ' +
    'twice, and compares them with the logged ones. A batch is the groups of a step. Prints the schemes that agree with all ' +
    'groups, or the first rollout that does not agree with the nearest scheme.',
  operands: { ...LOGS, help: 'Logs with advantages, and folders of logs.' },
  flags: { ...LOG_FLAGS, json: text('FILE', 'Write the agreements here.') },
  parameters: [],
  examples: ['completions', '--from trl completions/completions_00010.parquet'],
  async run({ flags, operands }, terminal) {
    const files = logFiles(operands);
    const inputs = inputsOf(files);
    return withOutputs(terminal, { json: flags.json }, { inputs }, async ({ json }) => {
      const logged = new LoggedAdvantages();
      await readLogs(files, flags.from, { ...importContext(flags), groups: true }, terminal, (group) =>
        logged.see(group),
      );
      const agreements = logged.agreements();
      const [best] = agreements;
      if (best.groups === 0)
        throw new ImportError(
          { file: files.map(({ path }) => show(path)).join(', ') },
          'no group has a logged advantage in each rollout',
        );
      const agreeing = agreements.filter(({ equal, groups }) => equal === groups);
      const out = (line: string) => terminal.out(`${line}\n`);
      for (const { name, equal, groups } of agreeing) out(`${name}: ${equal} of ${groups} groups`);
      if (agreeing.length === 0) {
        out(`no known scheme; the nearest is ${best.name}: ${best.equal} of ${best.groups} groups`);
        if (best.first) out(`${best.first.source}: logged ${best.first.logged}, expected ${best.first.expected}`);
      }
      const uneven = logged.uneven();
      if (uneven) out(`${uneven}: its tokens have different advantages`);
      if (logged.without > 0) terminal.err(`${logged.without} groups without logged advantages\n`);
      await json?.write(`${JSON.stringify({ agreeing: agreeing.map(({ name }) => name), agreements }, null, 2)}\n`);
      return agreeing.length > 0 ? EXIT.done : EXIT.failed;
    });
  },
});
