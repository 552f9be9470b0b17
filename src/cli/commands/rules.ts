import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { RULES } from '../../credit/rules.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT, reason, UsageError } from '../framework/errors.ts';
import { text } from '../framework/flags.ts';
import { show } from '../framework/policyFiles.ts';
import type { Terminal } from '../framework/terminal.ts';
import { alignedTable } from '../framework/text.ts';
import { withOutputs } from '../output/outputs.ts';
import { newRuleFiles, writeRuleFiles } from './newRule.ts';
import { PAGES, RULE_PAGES_COMMAND, rulePage, rulePages } from './rulePages.ts';

/** Commands for a developer after each change of a new rule. */
const NEXT = [
  'npm run kernels                            # types of the new kernel',
  `${RULE_PAGES_COMMAND}   # pages of the rules`,
  'npm run check',
  'npm run test:unit -- credit',
  'npm run test:sandbox -- pythonRules        # the rule in Python',
  'npm run test:gpu -- credit                 # the kernel',
];

/** Command that lists the credit rules, writes their documentation, and writes the files of a new rule. */
export const rulesCommand = defineCommand({
  name: 'rules',
  summary: 'list the credit rules, print one with an example, write pages or a new rule',
  description:
    'Lists the credit rules. With a NAME it prints the page of that rule: formulas, parameters, an example in numbers, ' +
    'kernels. With --docs it writes all pages. With --new it writes the files of a new rule into a checkout: a kernel, ' +
    'the rule in TypeScript and in Python, a test, and a line in the list of rules.',
  operands: { placeholder: 'NAME', help: 'A rule to print.', least: 0, maximum: 1 },
  flags: {
    new: text('RULE', 'Write the template files of a new rule, in the root folder of a checkout.'),
    docs: text('FOLDER', `Write an index, and a page and an example per rule, to this folder, for example ${PAGES}.`),
  },
  parameters: [],
  examples: ['', 'mt-grpo', `--docs ${PAGES}`, '--new discounted-outcome'],
  async run({ flags, operands: [name] }, terminal) {
    if (name !== undefined && flags.docs !== undefined)
      throw new UsageError('--docs writes all rules: leave the name out');
    if (flags.new !== undefined && (name !== undefined || flags.docs !== undefined))
      throw new UsageError('--new writes one rule: leave the name and --docs out');
    if (flags.new !== undefined) {
      const root = process.cwd();
      const files = newRuleFiles(root, flags.new);
      writeRuleFiles(root, files);
      terminal.out([...files.keys(), ''].join('\n'));
      terminal.err(`\nNext, after each change:\n${NEXT.map((line) => `  ${line}\n`).join('')}`);
    } else if (flags.docs !== undefined) {
      await writePages(flags.docs, terminal);
    } else if (name !== undefined) {
      const rule = RULES.find((known) => known.name === name);
      if (!rule) throw new UsageError(`unknown rule "${name}"; known: ${RULES.map((known) => known.name).join(', ')}`);
      terminal.out(rulePage(rule));
    } else {
      const rows = RULES.map((rule) => [rule.name, rule.title, rule.input, rule.unit, rule.idea]);
      terminal.out(`${alignedTable(['name', 'title', 'reads', 'credit unit', 'idea'], rows)}\n`);
    }
    return EXIT.done;
  },
});

/** Writes all pages into a folder. Creates the folder if it does not exist. */
async function writePages(folder: string, terminal: Terminal): Promise<void> {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`--docs: the folder ${folder} cannot be created (${reason(error)})`);
  }
  const pages = rulePages(RULES);
  const files = Object.fromEntries([...pages.keys()].map((name) => [name, join(folder, name)]));
  await withOutputs(terminal, files, { flag: 'docs' }, async (outputs) => {
    for (const [name, content] of pages) await outputs[name].write(content);
  });
  terminal.err(`written: ${pages.size} files in ${show(folder)}\n`);
}
