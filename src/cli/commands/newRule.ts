import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RULES } from '../../credit/rules.ts';
import { reason, UsageError } from '../framework/errors.ts';

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
  const names = new Set<string>(`${RESERVED} ${template('rule.ts')} ${list}`.match(/\w+/g));
  if (names.has(camel) && camel !== SAMPLE.camel) {
    throw new UsageError(
      `--new: the code already uses the name "${camel}"; choose another name, for example ${name}-rule`,
    );
  }
  const files = new Map([
    [`shaders/credit/${snake}.wgsl`, template('kernel.wgsl')],
    [`src/credit/rules/grpo/${camel}.ts`, template('rule.ts')],
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
export function writeRuleFiles(root: string, files: RuleFiles): void {
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
  const path = `./rules/grpo/${camel}.ts`;
  const paths = lines.map((line) => /^import .* from '(\.\/rules\/.*)';$/.exec(line)?.[1]);
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
