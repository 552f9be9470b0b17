import { commandHelp, defineCommand, parseArguments } from '../src/cli/framework/command.ts';
import { EXIT, UsageError } from '../src/cli/framework/errors.ts';
import type { FlagTable, FlagValues } from '../src/cli/framework/flags.ts';

/** Benchmark program. Its flags, messages and help have the same form as the commands of the terminal. */
export interface Benchmark<Table extends FlagTable> {
  /** Name of the script in package.json, for example `bench:credit`. */
  readonly name: string;
  /** Description of the measurement, in one paragraph. */
  readonly description: string;
  readonly flags: Table;
  /** Examples of arguments, one command line each. */
  readonly examples: readonly string[];
  /**
   * Measures and returns the exit code.
   * @throws {UsageError} for an invalid value
   */
  run(flags: FlagValues<Table>): Promise<number>;
}

/** Streams for help and messages of a benchmark. Tests pass other streams. */
export interface Streams {
  out(text: string): unknown;
  err(text: string): unknown;
}

const PROCESS: Streams = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
};

/**
 * Runs a benchmark with a command line. `--help` prints the flags without a measurement. For an invalid flag or value,
 * the function prints a message and returns 2. Other errors are thrown unchanged.
 * @returns the exit code
 */
export async function runBenchmark<Table extends FlagTable>(
  benchmark: Benchmark<Table>,
  args: readonly string[] = process.argv.slice(2),
  streams = PROCESS,
): Promise<number> {
  const command = defineCommand<Table>({
    ...benchmark,
    summary: '',
    parameters: [],
    run: ({ flags }) => benchmark.run(flags),
  });
  const call = `npm run ${benchmark.name} --`;
  if (args.includes('--help') || args.includes('-h')) {
    streams.out(commandHelp(command, call));
    return EXIT.done;
  }
  try {
    const { flags } = parseArguments(command, args);
    return await benchmark.run(flags as FlagValues<Table>);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    streams.err(`${benchmark.name}: ${error.message}\nevery flag: ${call} --help\n`);
    return EXIT.usage;
  }
}
