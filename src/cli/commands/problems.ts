import { fileURLToPath } from 'node:url';
import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import type { ProblemGenerator } from '../../environments/environment.ts';
import { ENVIRONMENT_LIST } from '../../environments/registry.ts';
import { PROBLEM_SEED } from '../../environments/repair/recordProblems.ts';
import { REPAIR_SETTINGS } from '../../environments/repair/repairSettings.ts';
import { sandboxExecute } from '../../environments/shared/execution.ts';
import { ParameterError } from '../../parameters/parameters.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT, UsageError } from '../framework/errors.ts';
import { choice, integerFlag, text, toggle } from '../framework/flags.ts';
import { show } from '../framework/policyFiles.ts';
import { withStoppableProgress } from '../framework/terminal.ts';
import { withOutputs } from '../output/outputs.ts';

/** Names of the environments whose problems are created with Python and shipped. */
const SHIPPING = ENVIRONMENT_LIST.filter(({ shipsProblems }) => shipsProblems).map(({ name }) => name);

/** Returns the path of the problems that the page includes. */
const shipped = (environment: string) =>
  fileURLToPath(new URL(`../../environments/${environment}/problems.json`, import.meta.url));

/** Command that creates the problems of an environment with Python. */
export const problemsCommand = defineCommand({
  name: 'problems',
  summary: 'make or measure the problems of the environments that run programs',
  description:
    'repair: runs the right program and up to 48 wrong programs of every problem on about 50 inputs, chooses the tests that ' +
    'distinguish them, and splits the prompts into training and held-out prompts. repo: draws repositories with bugs and ' +
    'runs their tests, until there are 600 training problems and 128 held-out problems with one bug, and as many with up ' +
    'to two bugs. Without --out it writes the file that the environment ships; the same seed gives the same file. With ' +
    '--measure it writes no file and prints statistics of problems and demonstrations as JSON.',
  flags: {
    environment: choice('Environment of the problems.', SHIPPING, SHIPPING[0]),
    out: text('FILE', 'Output file, instead of the shipped file.'),
    seed: integerFlag('Seed of inputs, tests, splits and repositories.', {
      min: 0,
      max: 999_999,
      default: PROBLEM_SEED,
    }),
    measure: toggle('Run demonstrations of the shipped problems instead, drawn as in the warm start.'),
  },
  parameters: [{ title: 'Settings of repair, for --measure', table: REPAIR_SETTINGS }],
  examples: ['', '--environment repo', '--seed 5 --out other-problems.json', '--measure --prior flat'],
  async run({ flags, parameters }, terminal) {
    const { environment, seed } = flags;
    const file = flags.measure ? undefined : (flags.out ?? shipped(environment));
    return withOutputs(terminal, { out: file }, {}, async ({ out }) => {
      const { problemGenerator: generator } = (await import(
        `../../environments/${environment}/problemGenerator.ts`
      )) as {
        problemGenerator: ProblemGenerator;
      };
      const sandbox = new Sandbox(createNodeSource());
      try {
        const execute = sandboxExecute(sandbox);
        if (!out) {
          terminal.out(`${JSON.stringify(await generator.measure(execute, parameters), null, 2)}\n`);
          return EXIT.done;
        }
        const created = await withStoppableProgress(terminal, 'problems', environment, (report) =>
          generator.record(execute, seed, report),
        );
        await out.write(created.file);
        terminal.err(`written: ${created.count} problems to ${show(out.file)}\n`);
        return EXIT.done;
      } catch (error) {
        throw error instanceof ParameterError ? new UsageError(error.message) : error;
      } finally {
        sandbox.close();
      }
    });
  },
});
