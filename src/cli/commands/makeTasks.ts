import { fileURLToPath } from 'node:url';
import { measureDemonstrations } from '../../environments/repair/measure.ts';
import * as repairRecords from '../../environments/repair/recordProblems.ts';
import { createRepairEnvironment, REPAIR_SETTINGS } from '../../environments/repair/repairEnvironment.ts';
import * as repair from '../../environments/repair/repairTasks.ts';
import { measureRepositories } from '../../environments/repo/measure.ts';
import { createRepoEnvironment } from '../../environments/repo/repoEnvironment.ts';
import * as repo from '../../environments/repo/repoTasks.ts';
import type { Execute } from '../../environments/shared/execution.ts';
import { sandboxExecute } from '../../environments/shared/sandboxExecute.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { nodePlace } from '../../sandbox/host/node.ts';
import { Sandbox } from '../../sandbox/sandbox.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT, Interrupted, UsageError } from '../framework/errors.ts';
import { choice, text, toggle, whole } from '../framework/flags.ts';
import { show } from '../framework/policyFiles.ts';
import { Progress } from '../framework/terminal.ts';
import { withOutputs } from '../output/outputs.ts';

/** Makes and measures the problems of one environment. */
interface Maker {
  /**
   * The text of the file of problems, and how many there are.
   * @param progress told how many problems are done
   */
  record(
    execute: Execute,
    seed: number,
    progress: (done: number, all: number) => void,
  ): Promise<{ readonly file: string; readonly count: number }>;
  /** What the shipped problems and their demonstrations are like. */
  measure(execute: Execute, settings: ParameterValues): Promise<object>;
}

const MAKERS: Readonly<Record<'repair' | 'repo', Maker>> = {
  repair: {
    async record(execute, seed, progress) {
      const records = await repairRecords.recordProblems(execute, seed, progress);
      return { file: repairRecords.recordsText(records), count: records.length };
    },
    async measure(execute, settings) {
      const problems = await repair.loadProblems();
      return measureDemonstrations(createRepairEnvironment(settings, { execute, problems }), problems);
    },
  },
  repo: {
    async record(execute, seed, progress) {
      const each = repo.TRAINING + repo.HELD_OUT;
      const make = (bugs: 'one' | 'two', before: number) =>
        repo.recordProblems(execute, bugs, { seed, progress: (done) => progress(before + done, 2 * each) });
      const records = { one: await make('one', 0), two: await make('two', each) };
      return { file: repo.recordsText(records), count: records.one.length + records.two.length };
    },
    async measure(execute, settings) {
      const [other] = Object.keys(settings);
      if (other !== undefined) throw new UsageError(`--${other}: it is no setting of the repository environment`);
      const measure = async (bugs: 'one' | 'two') =>
        measureRepositories(createRepoEnvironment({ bugs }, { execute, problems: await repo.loadProblems(bugs) }));
      return { one: await measure('one'), two: await measure('two') };
    },
  },
};

/** What the page ships. */
const shipped = (environment: string) =>
  fileURLToPath(new URL(`../../environments/${environment}/problems.json`, import.meta.url));

/** Makes the problems of an environment with real Python. */
export const problemsCommand = defineCommand({
  name: 'problems',
  summary: 'make or measure the problems of the environments that run programs',
  description:
    'repair: runs the right program and up to 48 wrong ones of every problem on about 50 inputs, chooses the tests that ' +
    'tell them apart, and splits the prompts into training and held out. repo: draws repositories with bugs and runs ' +
    'their tests, until there are 600 problems of training and 128 held-out ones with one bug, and as many with up to two. ' +
    'Without --out it writes the file that the environment ships; the same seed gives the same file. With --measure it ' +
    'writes nothing and prints, as JSON, what problems and demonstrations are like.',
  flags: {
    environment: choice('Which environment’s.', ['repair', 'repo'], 'repair'),
    out: text('FILE', 'Where the problems go instead.'),
    seed: whole('Draws inputs, tests, splits and repositories.', {
      min: 0,
      max: 999_999,
      default: repairRecords.PROBLEM_SEED,
    }),
    measure: toggle('Runs demonstrations of the shipped problems instead, as the warm start draws them.'),
  },
  parameters: [{ title: 'Settings of repair, for --measure', table: REPAIR_SETTINGS }],
  examples: ['', '--environment repo', '--seed 5 --out other-problems.json', '--measure --prior flat'],
  async run({ flags, parameters }, terminal) {
    const { environment, seed } = flags;
    const file = flags.measure ? undefined : (flags.out ?? shipped(environment));
    return withOutputs(terminal, { out: file }, {}, async ({ out }) => {
      const maker = MAKERS[environment];
      const sandbox = new Sandbox(nodePlace());
      let progress: Progress | undefined;
      let last = 0;
      try {
        const execute = sandboxExecute(sandbox);
        if (!out) {
          terminal.out(`${JSON.stringify(await maker.measure(execute, parameters), null, 2)}\n`);
          return EXIT.done;
        }
        const made = await maker.record(execute, seed, (done, all) => {
          if (terminal.signal.aborted) throw new Interrupted();
          progress ??= new Progress(terminal, all);
          for (; last < done; last++) progress.advance('problems', environment);
        });
        progress?.close();
        await out.write(made.file);
        terminal.err(`written: ${made.count} problems to ${show(out.file)}\n`);
        return EXIT.done;
      } finally {
        progress?.close();
        sandbox.close();
      }
    });
  },
});
