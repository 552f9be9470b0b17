import { defineCommand } from '../framework/command.ts';
import { EXIT } from '../framework/errors.ts';
import { text } from '../framework/flags.ts';
import { inputsOf, logFiles } from '../framework/logFiles.ts';
import { readLogs } from '../framework/readLogs.ts';
import { withOutputs } from '../output/outputs.ts';
import { importContext, LOG_FLAGS, LOGS } from './import.ts';
import { LogSummary, stepTable, toolLossText } from './logSummary.ts';

/** Summarises logs, step by step. */
export const summaryCommand = defineCommand({
  name: 'summary',
  summary: 'summarise logs of rollouts, step by step',
  description:
    'Reads logs as `import` does, or files of groups, and prints a line for each training step: groups, rollouts, turns, mean ' +
    'reward, the share of rollouts that call a tool, and the mean GRPO-OR credit of rollouts with and without a call. Reports ' +
    'the loss of a tool, and the number of groups that cannot give credit, by reason.',
  operands: { ...LOGS, help: 'Logs, files of groups, and folders of them.' },
  flags: { ...LOG_FLAGS, json: text('FILE', 'Write the numbers here.') },
  parameters: [],
  examples: ['rollouts', '--turn-rewards turn_scores rollouts'],
  async run({ flags, operands }, terminal) {
    const files = logFiles(operands);
    const inputs = inputsOf(files);
    return withOutputs(terminal, { json: flags.json }, { inputs }, async ({ json }) => {
      const summary = new LogSummary();
      const context = { ...importContext(flags), groups: true };
      await readLogs(files, flags.from, context, terminal, (group) => summary.see(group));
      const [steps, loss] = [summary.steps(), summary.toolLoss()];
      terminal.out(`${stepTable(steps)}\n`);
      if (loss) terminal.out(`${toolLossText(loss)}\n`);
      for (const line of context.tally.lines()) terminal.err(`${line}\n`);
      const reasons = Object.fromEntries(context.tally.reasons);
      await json?.write(`${JSON.stringify({ steps, toolLoss: loss ?? null, withoutCredit: reasons }, null, 2)}\n`);
      return EXIT.done;
    });
  },
});
