import { parseArgs } from 'node:util';
import type { ParameterTable, ParameterValue } from '../../parameters/parameters.ts';
import { UsageError } from './errors.ts';
import { type Flag, type FlagTable, type FlagValues, parameterFlag } from './flags.ts';
import { type NamedFile, namedFiles } from './inputs.ts';
import { PROGRAM } from './installation.ts';
import type { Terminal } from './terminal.ts';

/** Parameters that are flags under their own names. A command receives only the parameters that the user gave. */
export interface ParameterSection {
  readonly title: string;
  readonly table: ParameterTable;
}

/** Arguments of a command other than its flags: the names of files. */
export interface Operands {
  /** Placeholder of an operand in the help, for example FILE. */
  readonly placeholder: string;
  readonly help: string;
  readonly least: number;
  readonly maximum: number;
}

/** A command line in the form that a command receives. */
export interface CommandInput<Table extends FlagTable> {
  readonly flags: FlagValues<Table>;
  /** Arguments other than the flags, in their order. */
  readonly operands: readonly string[];
  /** Parameters given by name, for example `{ learningRate: 3e-4 }`. */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Files that the command line names, outputs among them. */
  readonly files: readonly NamedFile[];
}

/** A command of the program. */
export interface Command<Table extends FlagTable = FlagTable> {
  readonly name: string;
  /** Short description for the list of commands. */
  readonly summary: string;
  /** Description of the command's action and output, in one paragraph. */
  readonly description: string;
  /** Absent if the command takes flags only. */
  readonly operands?: Operands;
  readonly flags: Table;
  readonly parameters: readonly ParameterSection[];
  /** Returns further help, which follows the flags. */
  readonly notes?: () => string;
  /** Example command lines without the names of the program and the command. */
  readonly examples: readonly string[];
  /** Returns the command for these arguments. Absent if the flags do not depend on the arguments. */
  as?(args: readonly string[]): Command;
  /** Runs the command. Resolves to the exit code. */
  run(given: CommandInput<Table>, terminal: Terminal): Promise<number>;
}

/** Infers the types of a command's flags, and returns the command in the common type of the list of commands. */
export function defineCommand<Table extends FlagTable>(command: Command<Table>): Command {
  return command as unknown as Command;
}

/**
 * Parses the arguments of a command: `--name value` or `--name=value`. A value can begin with one minus sign, as a
 * negative number does. A single minus sign is an operand: standard input.
 * @throws {UsageError} for a flag that does not exist, a value out of range, or operands that the command does not take
 */
export function parseArguments(command: Command, args: readonly string[]): CommandInput<FlagTable> {
  const table = flagsOf(command);
  const types = [...table].map(
    ([name, { kind }]) => [name, { type: kind === 'switch' ? 'boolean' : 'string' }] as const,
  );
  const options = Object.fromEntries(types);
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const values = Object.fromEntries(Object.entries(command.flags).map(([name, { fallback }]) => [name, fallback]));
  const parameters: Record<string, ParameterValue> = {};
  const operands: string[] = [];
  const files: NamedFile[] = [];
  const used = new Set<string>();
  for (const token of tokens) {
    if (token.kind === 'positional') {
      operands.push(checkOperand(command, token.value, operands.length));
      files.push(...namedFiles(undefined, token.value, true));
      continue;
    }
    if (token.kind === 'option-terminator' || !token.rawName.startsWith('--')) {
      throw new UsageError(`"${args[token.index]}" is not a flag`);
    }
    const { name, value, inlineValue } = token;
    const flag = table.get(name);
    if (!flag) throw new UsageError(`unknown flag --${name}${suggestion(name, flagNames(command))}`);
    if (used.has(name) && flag.kind !== 'list') throw new UsageError(`--${name} is given twice`);
    used.add(name);
    if (flag.kind === 'switch') {
      if (value !== undefined) throw new UsageError(`--${name} takes no value, but got "${value}"`);
    } else if (value === undefined || (!inlineValue && value.startsWith('--'))) {
      throw new UsageError(`--${name} needs a value: ${flag.allowed ?? flag.placeholder}`);
    } else files.push(...namedFiles(name, value, flag.placeholder === 'FILE'));
    if (Object.hasOwn(values, name)) values[name] = flag.add(values[name], value ?? '', name);
    else parameters[name] = flag.add(undefined, value ?? '', name) as ParameterValue;
  }
  const { operands: expected } = command;
  if (expected && operands.length < expected.least)
    throw new UsageError(`${expected.placeholder} is missing: ${expected.help}`);
  return { flags: values, operands, parameters, files };
}

function checkOperand({ name, operands }: Command, argument: string, before: number): string {
  if (!operands) throw new UsageError(`unexpected argument "${argument}": ${name} takes flags only`);
  if (argument === '') throw new UsageError(`${operands.placeholder} is an empty string`);
  if (before < operands.maximum) return argument;
  const limit = operands.maximum === 1 ? 'one' : `at most ${operands.maximum}`;
  throw new UsageError(`unexpected argument "${argument}": ${name} takes ${limit} ${operands.placeholder}`);
}

/** Returns the flags of a command and of its parameters, by name. A flag hides a parameter of the same name. */
function flagsOf({ flags, parameters }: Command): ReadonlyMap<string, Flag<unknown>> {
  const table = parameters
    .flatMap((section) => visible(section.table, flags))
    .map((entry) => [entry.name, parameterFlag(entry)] as const);
  return new Map<string, Flag<unknown>>([...Object.entries(flags), ...table]);
}

/** Returns the parameters that no flag of the command hides. */
function visible(table: ParameterTable, flags: FlagTable): ParameterTable {
  return table.filter(({ name }) => !Object.hasOwn(flags, name));
}

/** Returns the names of all flags of a command. */
export function flagNames(command: Command): string[] {
  return [...flagsOf(command).keys(), 'help'];
}

/** Returns the values of a flag in arguments that are not parsed yet. */
export function valuesOf(flag: string, args: readonly string[]): readonly string[] {
  return args.flatMap((arg, at) => {
    if (arg === `--${flag}`) return args[at + 1] ?? [];
    return arg.startsWith(`--${flag}=`) ? arg.slice(flag.length + 3) : [];
  });
}

/** Returns "; did you mean --x?" if a known name has a similar spelling, else an empty string. */
export function suggestion(name: string, known: readonly string[], prefix = '--'): string {
  const plain = (text: string) => text.replace(/[-_]/g, '').toLowerCase();
  const near = known
    .map((candidate) => ({ candidate, distance: editDistance(plain(name), plain(candidate)) }))
    .filter(({ candidate, distance }) => distance <= Math.min(2, Math.floor(candidate.length / 2)))
    .sort((a, b) => a.distance - b.distance)[0];
  return near ? `; did you mean ${prefix}${near.candidate}?` : '';
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}

const WIDTH = 100;
const INDENT = 6;

/** Returns the help of the program. */
export function programHelp(commands: readonly Command[]): string {
  const widest = Math.max(...commands.map(({ name }) => name.length));
  return `${[
    'Turnwise trains a small transformer with multi-turn reinforcement learning on this machine, and compares credit rules.',
    `Usage: ${PROGRAM} COMMAND [FLAGS]`,
    `Commands:\n${commands.map(({ name, summary }) => `  ${name.padEnd(widest)}  ${summary}`).join('\n')}`,
    `Flags of a command: ${PROGRAM} COMMAND --help\nVersion: ${PROGRAM} --version`,
    'Exit codes: 0 done, 1 failed while running, 2 a flag, an input or an output is wrong (no file was written), ' +
      '130 interrupted (129 by SIGHUP, 143 by SIGTERM). docs/use/files.md has the details.',
  ]
    .map(wrapParagraph)
    .join('\n\n')}\n`;
}

/**
 * Returns the help of a command: each flag with its allowed values, default and meaning.
 * @param call command line up to the flags
 */
export function commandHelp(command: Command, call = `${PROGRAM} ${command.name}`): string {
  const flagEntries = Object.entries(command.flags).map(([name, flag]) => flagHelp(name, flag));
  const sections = command.parameters.map(({ title, table }) => {
    const entries = visible(table, command.flags).map((parameter) =>
      flagHelp(parameter.name, parameterFlag(parameter), parameter.symbol),
    );
    return `${title}:\n${entries.join('\n')}`;
  });
  const { operands, notes } = command;
  return `${[
    `Usage: ${call} [FLAGS]${operands ? ` ${operandUsage(operands)}` : ''}`,
    wrapParagraph(command.description),
    ...(operands ? [`${operands.placeholder}:\n${indented(operands.help)}`] : []),
    `Flags:\n${[...flagEntries, flagHelp('help', HELP)].join('\n')}`,
    ...sections,
    ...(notes ? [wrapParagraph(notes())] : []),
    `Examples:\n${command.examples.map((example) => `  ${call} ${example}`).join('\n')}`,
  ].join('\n\n')}\n`;
}

/** Returns "FILE", "[FILE]" or "FILE ...". */
function operandUsage({ placeholder, least, maximum }: Operands): string {
  const argument = `${placeholder}${maximum > 1 ? ' ...' : ''}`;
  return least === 0 ? `[${argument}]` : argument;
}

function indented(text: string): string {
  return wrap(text, WIDTH - INDENT)
    .map((line) => ' '.repeat(INDENT) + line)
    .join('\n');
}

const HELP = { kind: 'switch', placeholder: '', help: 'Print this help.', fallback: false } as const;

function flagHelp(name: string, flag: Omit<Flag<unknown>, 'add'>, symbol?: string): string {
  const head = `  --${name}${flag.placeholder ? ` ${flag.placeholder}` : ''}`;
  const notes = [
    ...(symbol ? [symbol] : []),
    ...(flag.allowed ? [flag.allowed] : []),
    ...(flag.kind === 'list' ? ['may be given several times'] : []),
    ...defaultNote(flag.fallback),
  ];
  const lines = wrap(flag.help, WIDTH - INDENT);
  const noteLines = notes.length > 0 ? wrap(`(${notes.join('; ')})`, WIDTH - INDENT) : [];
  return [head, ...[...lines, ...noteLines].map((line) => ' '.repeat(INDENT) + line)].join('\n');
}

function defaultNote(fallback: unknown): string[] {
  if (fallback === undefined || fallback === false) return [];
  if (Array.isArray(fallback)) return fallback.length > 0 ? [`default ${fallback.join(',')}`] : [];
  return [`default ${fallback}`];
}

function wrapParagraph(text: string): string {
  return text
    .split('\n')
    .map((line) => wrap(line, WIDTH).join('\n'))
    .join('\n');
}

/** Breaks a line at spaces. Each new line has the leading spaces of the original line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  const [lead] = /^ */.exec(text) ?? [''];
  let line = '';
  for (const term of text.trim().split(/ /)) {
    if (line && lead.length + line.length + 1 + term.length > width) {
      lines.push(lead + line);
      line = term;
    } else line = line ? `${line} ${term}` : term;
  }
  return [...lines, lead + line];
}
