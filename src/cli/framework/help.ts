import type { Command, Operands } from './command.ts';
import { type Flag, parameterFlag } from './flags.ts';
import { PROGRAM } from './programName.ts';

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
    const entries = table.map((parameter) => flagHelp(parameter.name, parameterFlag(parameter), parameter.symbol));
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
