import { defineCommand, parseArguments } from '../src/cli/framework/command.ts';
import { EXIT, UsageError } from '../src/cli/framework/errors.ts';
import type { FlagTable, FlagValues } from '../src/cli/framework/flags.ts';
import { commandHelp } from '../src/cli/framework/help.ts';

/** A benchmark as a program: its flags are those of the command line's kind, with its messages and its help. */
export interface Benchmark<Table extends FlagTable> {
  /** Its script in package.json, for example `bench:credit`. */
  readonly name: string;
  /** Description of the measurement, in one paragraph. */
  readonly description: string;
  readonly flags: Table;
  /** Flags to start from, one line each. */
  readonly examples: readonly string[];
  /**
   * Measures; resolves to the exit code.
   * @throws {UsageError} for a value that turns out to be wrong
   */
  run(flags: FlagValues<Table>): Promise<number>;
}

/** Streams for a benchmark's help and messages. Tests pass other streams. */
export interface Streams {
  out(text: string): unknown;
  err(text: string): unknown;
}

const PROCESS: Streams = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
};

/**
 * Runs a benchmark on a command line. `--help` lists its flags, and nothing is measured. If a flag or value is wrong, a
 * message names it, and the exit code is 2. Other errors are thrown unchanged.
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
