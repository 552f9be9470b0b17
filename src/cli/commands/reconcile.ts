import { RULES } from '../../credit/rules.ts';
import { LoggedAdvantages } from '../../diagnosis/loggedAdvantages.ts';
import { ImportError } from '../../rollouts/import/row.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT } from '../framework/errors.ts';
import { text } from '../framework/flags.ts';
import { inputsOf, logFiles, readLogs } from '../framework/logs.ts';
import { show } from '../framework/policyFiles.ts';
import { withOutputs } from '../output/outputs.ts';
import { importContext, LOG_FLAGS, LOGS } from './import.ts';

/** Command that identifies the rule and the constants of the advantages in a log. */
export const reconcileCommand = defineCommand({
  name: 'reconcile',
  summary: 'identify the rule and the constants of the advantages in a log',
  description:
    'Computes the advantages of the logged rewards under every profile, every rule, schemes over the batch (the groups of a ' +
    'step), and known errors of trainers, and compares them with the logged advantages: one number for each rollout, turn or ' +
    'token. Prints the candidates that agree with all groups, or the first number that differs from the nearest candidate. ' +
    'Exit code 1: no candidate agrees, or only a known error.',
  operands: { ...LOGS, help: 'Logs with advantages, and folders of logs.' },
  flags: { ...LOG_FLAGS, json: text('FILE', 'Write the comparison to this file as JSON.') },
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
      const all = agreements.filter(({ equal, groups }) => equal > 0 && equal === groups);
      // Several candidates can agree on simple groups. A scheme of outcomes is simpler than a rule, and a rule than an
      // error.
      const agreeing = all.filter(({ name, cause }) => sort(name, cause) === sort(all[0].name, all[0].cause));
      const out = (line: string) => terminal.out(`${line}\n`);
      for (const { name, equal, groups } of agreeing) out(`${name}: ${equal} of ${groups} groups`);
      for (const cause of new Set(agreeing.flatMap(({ cause = [] }) => cause))) out(`known error: ${cause}`);
      if (agreeing.length === 0) {
        out(`no known scheme; the nearest is ${best.name}: ${best.equal} of ${best.groups} groups`);
        const { first } = best;
        if (first) out(`${first.source}: logged ${first.logged}, expected ${first.expected}`);
        if (first?.likely) out(`likely cause: ${first.likely}`);
      }
      if (logged.lone > 0) {
        out(
          `${logged.lone} groups hold one rollout: without a comparison, trainers use 0 or the reward itself (rLLM #916)`,
        );
      }
      const uneven = logged.uneven();
      if (uneven) out(`${uneven}: its tokens have different advantages`);
      if (logged.without > 0) terminal.err(`${logged.without} groups without logged advantages\n`);
      await json?.write(`${JSON.stringify({ agreeing: agreeing.map(({ name }) => name), agreements }, null, 2)}\n`);
      return agreeing.length > 0 && agreeing[0].cause === undefined ? EXIT.done : EXIT.failed;
    });
  },
});

/** Returns the kind of a candidate. */
function sort(name: string, cause: string | undefined): 'scheme' | 'rule' | 'error' {
  if (cause !== undefined) return 'error';
  return RULES.some((rule) => name === rule.name || name.startsWith(`${rule.name}, `)) ? 'rule' : 'scheme';
}
