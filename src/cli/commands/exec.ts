import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { JobError, type NamedJob, readJob } from '@turnwise/python-sandbox/jobs';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import type { ProgramResult } from '@turnwise/python-sandbox/types';
import { ForestError } from '../../rollouts/forest.ts';
import { textLines } from '../../rollouts/jsonLines.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT, Interrupted, UsageError } from '../framework/errors.ts';
import { integerFlag, text } from '../framework/flags.ts';
import { bytesOf, inputOf } from '../framework/inputs.ts';
import type { Terminal } from '../framework/terminal.ts';
import { type Output, withOutputs } from '../output/outputs.ts';

/** Command that runs Python programs of a file against their tests. */
export const execCommand = defineCommand({
  name: 'exec',
  summary: 'run untrusted Python against unit tests, in the sandbox',
  description:
    'Reads jobs as JSON Lines: {"id": "a", "program": "def f(x): ...", "entry": "f", "tests": [{"args": [1], "expected": 2}], ' +
    '"fuel": 1000000}. Writes one line per job, in the same order: {"id", "status", "passed", "tests", "fuel"}; a status is passed, ' +
    'failed, error, limit or violation. Fuel is a budget of interpreter steps for each test: the same jobs give the same bytes on ' +
    'every machine. An array matches a list or a tuple, an object a dict. {"$tuple": [...]}, {"$set": [...]}, ' +
    '{"$dict": [[key, value], ...]}, {"$int": "12"} and {"$float": "inf"} represent values that JSON cannot. docs/use/terminal.md ' +
    'has the details.',
  operands: { placeholder: 'FILE', help: 'Jobs as JSON Lines; - for standard input.', least: 1, maximum: 1 },
  flags: {
    workers: integerFlag('Programs that run at the same time; 0 for the number of cores, at most 4.', {
      min: 0,
      max: 64,
      default: 0,
    }),
    out: text('FILE', 'Output file; the default is standard output.'),
  },
  parameters: [],
  examples: ['jobs.jsonl', '--workers 2 --out results.jsonl jobs.jsonl', '- < jobs.jsonl'],
  async run({ flags, operands: [file] }, terminal) {
    return withOutputs(terminal, { out: flags.out }, {}, async ({ out }) => {
      await execute(await readJobs(file, terminal), flags.workers, out, terminal);
      return EXIT.done;
    });
  },
});

/** Runs jobs and writes their results: immediately to standard output, or to a file after all jobs. */
async function execute(
  jobs: readonly NamedJob[],
  workers: number,
  out: Output | undefined,
  terminal: Terminal,
): Promise<void> {
  const sandbox = new Sandbox(createNodeSource(), workers === 0 ? {} : { workers });
  const lines = new Array<string | undefined>(jobs.length);
  let written = 0;
  try {
    await sandbox.run(
      jobs.map(({ job }) => job),
      {
        signal: terminal.signal,
        onResult: (result, index) => {
          lines[index] = `${JSON.stringify(show(jobs[index], result))}\n`;
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

/**
 * Reads the jobs of a file.
 * @throws {UsageError | ForestError} with the file, the line and the field
 */
async function readJobs(file: string, terminal: Terminal): Promise<NamedJob[]> {
  const { name, open } = inputOf(file, 'a file of jobs', terminal);
  const jobs: NamedJob[] = [];
  try {
    for await (const { text, number } of textLines(bytesOf(name, open()))) {
      try {
        jobs.push(readJob(text));
      } catch (error) {
        throw error instanceof JobError ? new UsageError(`${name}, line ${number}: ${error.message}`) : error;
      }
    }
  } catch (error) {
    throw error instanceof ForestError ? error.of(name) : error;
  }
  if (jobs.length === 0) throw new UsageError(`${name} has no jobs`);
  return jobs;
}

function show({ id }: NamedJob, { status, tests, fuel }: ProgramResult) {
  return {
    id,
    status,
    passed: tests.map((test) => test.status === 'passed'),
    tests: tests.map(({ status, actual, error }) => ({ status, actual, error })),
    fuel,
  };
}
