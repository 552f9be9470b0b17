import type { ParameterTable, ParameterValue } from '../../parameters/parameters.ts';
import { UsageError } from './errors.ts';
import { type Flag, type FlagTable, type FlagValues, parameterFlag } from './flags.ts';
import { type NamedFile, namedFiles } from './namedFiles.ts';
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
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(command.flags).map(([name, flag]) => [name, flag.fallback]),
  );
  const parameters: Record<string, ParameterValue> = {};
  const operands: string[] = [];
  const files: NamedFile[] = [];
  const used = new Set<string>();
  for (let at = 0; at < args.length; at++) {
    const argument = args[at];
    const match = /^--([^=]+)(?:=([\s\S]*))?$/.exec(argument);
    if (!match) {
      operands.push(operand(command, argument, operands.length));
      files.push(...namedFiles(undefined, argument, true));
      continue;
    }
    const [, name, inline] = match;
    const { flag, isCommandFlag } = findFlag(command, name);
    if (used.has(name) && flag.kind !== 'list') throw new UsageError(`--${name} is given twice`);
    used.add(name);
    if (flag.kind === 'switch') {
      if (inline !== undefined) throw new UsageError(`--${name} takes no value, but got "${inline}"`);
      values[name] = flag.add(values[name], '', name);
      continue;
    }
    const value = inline ?? args[++at];
    if (value === undefined || (inline === undefined && value.startsWith('--'))) {
      throw new UsageError(`--${name} needs a value: ${flag.allowed ?? flag.placeholder}`);
    }
    files.push(...namedFiles(name, value, flag.placeholder === 'FILE'));
    if (isCommandFlag) values[name] = flag.add(values[name], value, name);
    else parameters[name] = flag.add(undefined, value, name) as ParameterValue;
  }
  const { operands: expected } = command;
  if (expected && operands.length < expected.least)
    throw new UsageError(`${expected.placeholder} is missing: ${expected.help}`);
  return { flags: values, operands, parameters, files };
}

function operand({ name, operands }: Command, argument: string, before: number): string {
  if (argument.startsWith('-') && argument !== '-') throw new UsageError(`"${argument}" is not a flag`);
  if (!operands) throw new UsageError(`unexpected argument "${argument}": ${name} takes flags only`);
  if (argument === '') throw new UsageError(`${operands.placeholder} is an empty string`);
  if (before < operands.maximum) return argument;
  const limit = operands.maximum === 1 ? 'one' : `at most ${operands.maximum}`;
  throw new UsageError(`unexpected argument "${argument}": ${name} takes ${limit} ${operands.placeholder}`);
}

function findFlag(command: Command, name: string): { flag: Flag<unknown>; isCommandFlag: boolean } {
  if (Object.hasOwn(command.flags, name)) return { flag: command.flags[name], isCommandFlag: true };
  const parameter = command.parameters.flatMap(({ table }) => table).find((candidate) => candidate.name === name);
  if (parameter) return { flag: parameterFlag(parameter), isCommandFlag: false };
  throw new UsageError(`unknown flag --${name}${suggestion(name, flagNames(command))}`);
}

/** Returns the names of all flags of a command. */
export function flagNames(command: Command): string[] {
  const parameters = command.parameters.flatMap(({ table }) => table.map(({ name }) => name));
  return [...Object.keys(command.flags), ...parameters, 'help'];
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
