import { TaskError } from '../environments/repair/taskError.ts';
import { RepositoriesError } from '../environments/repo/repositoriesFile.ts';
import { ParameterError } from '../parameters/parameters.ts';
import { CheckpointError } from '../policy/checkpoint.ts';
import { ForestError } from '../rollouts/forestError.ts';
import { ImportError } from '../rollouts/import/importError.ts';
import { type Command, parseArguments, suggestion } from './command.ts';
import { compareCommand } from './compare.ts';
import { creditCommand } from './credit.ts';
import { EXIT, Interrupted, Stop, UsageError } from './errors.ts';
import { evaluateCommand } from './evaluate.ts';
import { execCommand } from './exec.ts';
import { commandHelp, PROGRAM, programHelp } from './help.ts';
import { importCommand } from './import.ts';
import { problemsCommand } from './problems.ts';
import { recordCommand } from './record.ts';
import { rulesCommand } from './rules.ts';
import type { Terminal } from './terminal.ts';
import { trainCommand } from './train.ts';
import { truthCommand } from './truth.ts';
import { version } from './version.ts';
import { warmStartCommand } from './warmStart.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  trainCommand,
  compareCommand,
  creditCommand,
  rulesCommand,
  evaluateCommand,
  truthCommand,
  warmStartCommand,
  execCommand,
  recordCommand,
  problemsCommand,
  importCommand,
];

/**
 * Runs a command line. Errors become messages on `err`; nothing is thrown.
 * @returns the exit code
 */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  try {
    const asked = name === 'help' ? rest[0] : name;
    if (name === '--version') {
      terminal.out(`${version()}\n`);
      return EXIT.done;
    }
    if (asked === undefined || asked === '--help' || asked === '-h') {
      if (name === undefined) terminal.err(programHelp(COMMANDS));
      else terminal.out(programHelp(COMMANDS));
      return name === undefined ? EXIT.usage : EXIT.done;
    }
    const known = findCommand(asked);
    const command = known.as?.(rest) ?? known;
    if (name === 'help' || rest.includes('--help') || rest.includes('-h')) {
      terminal.out(commandHelp(command));
      return EXIT.done;
    }
    const code = await runCommand(command, rest, terminal);
    return code === EXIT.interrupted ? interruptedCode(terminal) : code;
  } catch (error) {
    return report(error, terminal);
  }
}

/** The code of a command that ended early, by what ended it: a signal, or that nobody reads any more. */
function interruptedCode({ signal }: Terminal): number {
  return signal.reason instanceof Stop ? signal.reason.code : EXIT.interrupted;
}

function findCommand(name: string): Command {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command) return command;
  const names = COMMANDS.map((known) => known.name);
  const hint = suggestion(name, names, '');
  throw new UsageError(`unknown command "${name}"${hint}\nknown: ${names.join(', ')}; see ${PROGRAM} --help`);
}

async function runCommand(command: Command, args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await command.run(parseArguments(command, args), terminal);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message}\nevery flag: ${PROGRAM} ${command.name} --help`);
  }
}

/** What is wrong with what was given. */
const INPUT_ERRORS = [
  ...[UsageError, ParameterError, CheckpointError],
  ...[ForestError, ImportError, TaskError, RepositoriesError],
] as const;

/**
 * Says what went wrong; a stack only where the program itself is at fault.
 * @returns the exit code
 */
function report(error: unknown, terminal: Terminal): number {
  if (error instanceof Interrupted) return interruptedCode(terminal);
  if (error instanceof Stop) return error.code;
  if (!(error instanceof Error)) {
    terminal.err(`turnwise: ${String(error)}\n`);
    return EXIT.failed;
  }
  const ours = !['TypeError', 'ReferenceError', 'RangeError'].includes(error.name);
  terminal.err(`turnwise: ${ours ? error.message : error.stack}\n`);
  const input = INPUT_ERRORS.some((kind) => error instanceof kind);
  return input ? EXIT.usage : EXIT.failed;
}
