import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RULES } from '../../credit/rules.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT, reason, UsageError } from '../framework/errors.ts';
import { text } from '../framework/flags.ts';
import { show } from '../framework/policyFiles.ts';
import { alignedTable, type Terminal } from '../framework/terminal.ts';
import { withOutputs } from '../output/outputs.ts';
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

/** Folder of the template files of a rule. The templates are a working rule with the name of `SAMPLE`. */
const TEMPLATES = 'templates/rule';
const SAMPLE = spellings('discounted-outcome');

/** File with the list of rules. */
const LIST = 'src/credit/rules.ts';
/** Maximum length of a name [characters]. A longer name would make lines of the templates too long for the linter. */
const MAX_LENGTH = 32;
/** Names that JavaScript does not allow for variables. */
const RESERVED =
  'await break case catch class const continue debugger default delete do else enum export extends false finally for function if ' +
  'implements import in instanceof interface let new null package private protected public return static super switch this ' +
  'throw true try typeof var void while with yield arguments eval';

/** Files of a new rule: text by path in the checkout. The last file is the list of rules with the new rule in it. */
export type RuleFiles = ReadonlyMap<string, string>;

/**
 * Returns the files of a new rule.
 * @param root folder of a checkout
 * @throws {UsageError} for a name that is invalid or in use, for a file that exists, and for a folder that is not a
 * checkout
 */
export function newRuleFiles(root: string, name: string): RuleFiles {
  const missing = [TEMPLATES, LIST].find((path) => !existsSync(join(root, path)));
  if (missing !== undefined) {
    throw new UsageError(`--new: ${root} has no ${missing}; run this in the root folder of a checkout of Turnwise`);
  }
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > MAX_LENGTH) {
    const allowed = `lower-case letters, digits and single hyphens, a letter first, at most ${MAX_LENGTH} characters`;
    throw new UsageError(`--new: "${name}" is not a rule name; allowed: ${allowed}, for example discounted-outcome`);
  }
  if (RULES.some((rule) => rule.name === name)) throw new UsageError(`--new: the rule "${name}" exists`);

  const { camel, snake } = spellings(name);
  const read = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');
  const template = (file: string) => read(`${TEMPLATES}/${file}`);
  const list = read(LIST);
  const texts = [RESERVED, template('rule.ts'), template('explained.ts'), list].join(' ');
  const names = new Set<string>(texts.match(/\w+/g));
  if (names.has(camel) && camel !== SAMPLE.camel) {
    throw new UsageError(
      `--new: the code already uses the name "${camel}"; choose another name, for example ${name}-rule`,
    );
  }
  const files = new Map([
    [`shaders/credit/${snake}.wgsl`, template('kernel.wgsl')],
    [`src/credit/rules/grpo/${camel}.ts`, template('rule.ts')],
    [`src/credit/explained/${camel}.ts`, template('explained.ts')],
    [`python/turnwise_rl/rules/${snake}.py`, template('rule.py')],
    [`test/unit/credit/rules/grpo/${camel}.test.ts`, template('test.ts')],
  ]);
  const existing = [...files.keys()].filter((path) => existsSync(join(root, path)));
  if (existing.length > 0) throw new UsageError(`--new: ${existing.join(' and ')} exists; no file is overwritten`);
  return new Map([
    ...[...files].map(([path, text]) => [path, renamed(text, name)] as const),
    [LIST, listed(list, camel)],
  ]);
}

/**
 * Writes the files of a new rule.
 * @throws {UsageError} if a folder or file cannot be written
 */
function writeRuleFiles(root: string, files: RuleFiles): void {
  for (const [path, text] of files) {
    try {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text, { flag: path === LIST ? 'w' : 'wx' });
    } catch (error) {
      throw new UsageError(`--new: ${path} was not written (${reason(error)})`);
    }
  }
}

/** Returns the spellings of a name in the different kinds of files. */
function spellings(name: string) {
  const camel = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const spaced = name.replaceAll('-', ' ');
  return { name, camel, snake: name.replaceAll('-', '_'), title: `${spaced[0].toUpperCase()}${spaced.slice(1)}` };
}

/** Returns a template with the name of the new rule. */
function renamed(template: string, name: string): string {
  const renamed = spellings(name);
  return (['name', 'camel', 'snake', 'title'] as const).reduce(
    (text, spelling) => text.replaceAll(SAMPLE[spelling], renamed[spelling]),
    template,
  );
}

/**
 * Returns the list of rules with an import in the order of paths, and with the rule at its end.
 * @throws {UsageError} if the text has no list of rules
 */
function listed(list: string, camel: string): string {
  const lines = list.split('\n');
  const end = lines.indexOf(
    '];',
    lines.findIndex((line) => line.startsWith('export const RULES')),
  );
  const path = `./explained/${camel}.ts`;
  const paths = lines.map((line) => /^import .* from '(\.\/explained\/.*)';$/.exec(line)?.[1]);
  const last = paths.findLastIndex((known) => known !== undefined);
  if (end < 0 || last < 0) throw new UsageError(`--new: ${LIST} has no list of rules that a line can be added to`);
  const after = paths.findIndex((known) => known !== undefined && compared(path, known) < 0);
  return lines
    .toSpliced(end, 0, `  ${camel},`)
    .toSpliced(after < 0 ? last + 1 : after, 0, `import { ${camel} } from '${path}';`)
    .join('\n');
}

/** Compares two paths in the order in which the linter sorts imports: ignoring case first, and numbers by value. */
function compared(first: string, second: string): number {
  return new Intl.Collator('en', { numeric: true }).compare(first, second);
}
