import { existsSync, readFileSync, statSync } from 'node:fs';
import { nodePlace } from '../sandbox/host/node.ts';
import { JobError, type NamedJob, readJob } from '../sandbox/jobs.ts';
import { Sandbox } from '../sandbox/sandbox.ts';
import type { Verdict } from '../sandbox/types.ts';
import { defineCommand } from './command.ts';
import { EXIT, Interrupted, UsageError } from './errors.ts';
import { text, whole } from './flags.ts';
import { type Output, withOutputs } from './outputs.ts';
import type { Terminal } from './terminal.ts';

/** Runs Python programs of a file against their tests. */
export const execCommand = defineCommand({
  name: 'exec',
  summary: 'run untrusted Python against unit tests, in the sandbox',
  description:
    'Reads jobs as JSON Lines: {"id": "a", "program": "def f(x): ...", "entry": "f", "tests": [{"args": [1], "expected": 2}], ' +
    '"fuel": 1000000}. Writes a line for each, in the same order: {"id", "status", "passed", "tests", "fuel"}; a status is passed, ' +
    'failed, error, limit or violation. Fuel counts steps, a budget for each test: the same jobs give the same bytes on every machine. ' +
    'An array matches a list or a tuple, an object a dict; {"$tuple": [...]}, {"$set": [...]}, {"$dict": [[key, value], ...]}, ' +
    '{"$int": "12"} and {"$float": "inf"} say exactly what JSON cannot. docs/sandbox.md has the details.',
  operands: { placeholder: 'FILE', help: 'Jobs as JSON Lines; - for standard input.', least: 1, most: 1 },
  flags: {
    workers: whole('Programs that run at the same time; 0 for as many as the machine has cores, at most 4.', {
      min: 0,
      max: 64,
      default: 0,
    }),
    out: text('FILE', 'Where the lines go; without it, to standard output.'),
  },
  parameters: [],
  examples: ['jobs.jsonl', '--workers 2 --out verdicts.jsonl jobs.jsonl', '- < jobs.jsonl'],
  async run({ flags, operands: [file] }, terminal) {
    const inputs = { 'the file of jobs': file };
    return withOutputs(terminal, { out: flags.out }, { inputs }, async ({ out }) => {
      await execute(readJobs(file), flags.workers, out, terminal);
      return EXIT.done;
    });
  },
});

/** Runs jobs and writes their verdicts: at once, or into a file when all are there. */
async function execute(
  jobs: readonly NamedJob[],
  workers: number,
  out: Output | undefined,
  terminal: Terminal,
): Promise<void> {
  const sandbox = new Sandbox(nodePlace(), workers === 0 ? {} : { workers });
  const lines = new Array<string | undefined>(jobs.length);
  let written = 0;
  try {
    await sandbox.run(
      jobs.map(({ job }) => job),
      {
        signal: terminal.signal,
        onVerdict: (verdict, index) => {
          lines[index] = `${JSON.stringify(show(jobs[index], verdict))}\n`;
          for (; !out && lines[written] !== undefined; written++) {
            terminal.out(lines[written] as string);
            lines[written] = '';
          }
        },
      },
    );
  } catch (error) {
    if (terminal.signal.aborted) throw new Interrupted();
    throw error;
  } finally {
    sandbox.close();
  }
  await out?.write(lines.join(''));
}

/** @throws {UsageError} naming the line and the field */
function readJobs(file: string): NamedJob[] {
  if (file !== '-' && !existsSync(file)) throw new UsageError(`there is no file ${file}`);
  if (file !== '-' && statSync(file).isDirectory()) throw new UsageError(`${file} is a folder`);
  const lines = readFileSync(file === '-' ? 0 : file, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [readJob(line)];
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      throw new UsageError(`${file === '-' ? 'standard input' : file}, line ${index + 1}: ${error.message}`);
    }
  });
}

function show({ id }: NamedJob, { status, tests, fuel }: Verdict) {
  return {
    id,
    status,
    passed: tests.map((test) => test.status === 'passed'),
    tests: tests.map(({ status, actual, error }) => ({ status, actual, error })),
    fuel,
  };
}
