import { CustomRuleError } from '../customRules/results.ts';
import { CheckpointError } from '../engine/shared.ts';
import { TaskError } from '../environments/repair/taskError.ts';
import { RepositoriesError } from '../environments/repo/repositoriesFile.ts';
import { ParameterError } from '../parameters/parameters.ts';
import { ForestError } from '../rollouts/forest.ts';
import { ImportError } from '../rollouts/import/row.ts';
import { printable } from '../rollouts/quoting.ts';
import { RewardModelError } from '../training/rewardModel/rewardModelFile.ts';
import { challengeCommand } from './commands/challenge.ts';
import { compareCommand } from './commands/compare.ts';
import { creditCommand } from './commands/credit.ts';
import { doctorCommand } from './commands/doctor.ts';
import { evaluateCommand } from './commands/evaluate.ts';
import { execCommand } from './commands/exec.ts';
import { expertIterationCommand } from './commands/expertIteration.ts';
import { gradeCommand } from './commands/grade.ts';
import { importCommand } from './commands/import.ts';
import { labCommand } from './commands/lab.ts';
import { lessonsCommand } from './commands/lessons.ts';
import { metricsCommand } from './commands/metrics.ts';
import { problemsCommand } from './commands/problems.ts';
import { reconcileCommand } from './commands/reconcile.ts';
import { reportCommand, watchCommand } from './commands/report.ts';
import { rewardModelCommand } from './commands/rewardModel.ts';
import { rulesCommand } from './commands/rules.ts';
import { trainCommand } from './commands/train.ts';
import { truthCommand } from './commands/truth.ts';
import { warmStartCommand } from './commands/warmStart.ts';
import { whyCommand } from './commands/why.ts';
import { type Command, commandHelp, parseArguments, programHelp, suggestion } from './framework/command.ts';
import { EXIT, Interrupted, Stop, UsageError } from './framework/errors.ts';
import { PROGRAM, version } from './framework/installation.ts';
import type { Terminal } from './framework/terminal.ts';

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  trainCommand,
  compareCommand,
  labCommand,
  creditCommand,
  rulesCommand,
  metricsCommand,
  evaluateCommand,
  truthCommand,
  challengeCommand,
  whyCommand,
  warmStartCommand,
  rewardModelCommand,
  expertIterationCommand,
  execCommand,
  lessonsCommand,
  gradeCommand,
  problemsCommand,
  importCommand,
  doctorCommand,
  reportCommand,
  watchCommand,
  reconcileCommand,
];

/**
 * Runs a command line. Prints errors on `err` and does not throw.
 * @returns the exit code
 */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  try {
    const requested = name === 'help' ? rest[0] : name;
    if (name === '--version') {
      terminal.out(`${version()}\n`);
      return EXIT.done;
    }
    if (requested === undefined || requested === '--help' || requested === '-h') {
      if (name === undefined) terminal.err(programHelp(COMMANDS));
      else terminal.out(programHelp(COMMANDS));
      return name === undefined ? EXIT.usage : EXIT.done;
    }
    const known = findCommand(requested);
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

/** Returns the exit code of a command that ended early because of a signal or a closed pipe. */
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
    const given = parseArguments(command, args);
    return await command.run(given, { ...terminal, files: given.files });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message}\nevery flag: ${PROGRAM} ${command.name} --help`);
  }
}

/** Classes of errors in the input. Their exit code is EXIT.usage. */
const INPUT_ERRORS = [
  ...[UsageError, ParameterError, CheckpointError, CustomRuleError],
  ...[ForestError, ImportError, TaskError, RepositoriesError, RewardModelError],
] as const;

/** Maximum length of a line of a message [characters]. */
const LONGEST_LINE = 2000;

/** Returns a message with long lines cut and control characters escaped. A message can quote arbitrary input. */
function legible(message: string): string {
  const line = (text: string) => (text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text);
  return message
    .split('\n')
    .map((text) => printable(line(text)))
    .join('\n');
}

/**
 * Prints an error. The stack appears only for an error class that indicates a defect of the program.
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
  terminal.err(`turnwise: ${ours ? legible(error.message) : error.stack}\n`);
  const input = INPUT_ERRORS.some((kind) => error instanceof kind);
  return input ? EXIT.usage : EXIT.failed;
}
