import type { ParameterValues } from '../../parameters/parameters.ts';
import type { CustomTasks, Environment, EnvironmentModule } from '../environment.ts';
import { cachedTaskSets, type Execute } from '../shared/execution.ts';
import { warmStartStages } from './demonstrations.ts';
import { RepoEpisode } from './episode.ts';
import { MAX_STEPS, REPO_CONTROLS, type RepoSettings, repoControls, repoSettings } from './repoSettings.ts';
import type { ProblemSplit, RepoProblem } from './repository.ts';
import { drawProblems, loadProblems, pick } from './repoTasks.ts';
import { TestRunner } from './testing.ts';
import { ACTION_LENGTHS, LONGEST_ACTION, REPO_VOCABULARY } from './vocabulary.ts';
import { issueText } from './workingCopy.ts';

/** Dependencies of the environment in addition to its settings. */
export interface RepoParts {
  /** Runs Python, for example `sandboxExecute` of a sandbox. */
  readonly execute: Execute;
  /** Problems of `loadProblems`. The warm start trains on them. */
  readonly problems: ProblemSplit;
  /** Problems for training and evaluation in place of `problems`: the result of `splitProblems`. */
  readonly repositories?: ProblemSplit;
}

/** Repository environment with its settings, problems and test runner. */
export interface RepoEnvironment extends Environment<RepoProblem, 'later'> {
  readonly settings: RepoSettings;
  /** Problems for training and evaluation. */
  readonly problems: ProblemSplit;
  readonly runner: TestRunner;
  begin(task: RepoProblem, controls: ParameterValues, play?: { readonly maxTurns?: number }): RepoEpisode;
}

/**
 * Creates a world of small repositories with bugs, which an agent repairs with tool calls.
 *
 * @param values values of REPO_SETTINGS; missing ones take their default
 * @throws {ParameterError} for a setting that the table does not allow
 * @throws {RangeError} for a split without problems
 * @example
 * const environment = createRepoEnvironment({ bugs: 'one' }, { execute, problems: await loadProblems('one') });
 * const [task] = environment.sampleTasks(new CounterRandom(0, STREAMS.tasks), 1, 'train');
 * const episode = environment.begin(task, defaults(environment.controls));
 * const stepResult = await episode.act(['view', 'app.py', 'full'].map(tokenNumber));
 */
export function createRepoEnvironment(values: ParameterValues, parts: RepoParts): RepoEnvironment {
  const settings = repoSettings(values);
  const split = parts.repositories ?? parts.problems;
  const { training, heldOut } = split;
  if (training.length === 0 || heldOut.length === 0) throw new RangeError('a split has no problems');
  const runner = new TestRunner(parts.execute);
  const maxTurns = MAX_STEPS[settings.bugs];

  return {
    name: 'repo',
    vocabulary: REPO_VOCABULARY,
    runsPrograms: true,
    context: contextLength([...training, ...heldOut, ...parts.problems.training], maxTurns),
    network: { layers: 3, dim: 64, heads: 4, ropeBase: 500 },
    maxTurns,
    stopTokens: [],
    turnLengths: ACTION_LENGTHS,
    controls: REPO_CONTROLS,
    warmStart: warmStartStages(parts.problems.training, runner, settings),
    settings,
    problems: split,
    runner,
    turnLimit: () => LONGEST_ACTION,
    sampleTasks: (random, count, part) =>
      Array.from({ length: count }, () => pick(random, part === 'train' ? training : heldOut)),
    describe: ({ issue }) => issueText(issue),
    outcomeRange: (controls) => {
      const { outcomeSolved } = repoControls(controls);
      return { bestOutcome: Math.max(0, outcomeSolved), worstOutcome: Math.min(0, outcomeSolved) };
    },
    prompt: ({ prompt }) => prompt,
    begin: (task, controls, play) =>
      new RepoEpisode(task, runner, { controls: repoControls(controls), steps: play?.maxTurns ?? maxTurns }),
  };
}

/**
 * Returns the maximum number of tokens of an episode, rounded up to a multiple of 4. In this episode, every turn except
 * the last one views the longest file, or searches for a token of all files. On the shipped problems it is 184 for 14
 * steps and 156 for 12.
 */
function contextLength(problems: readonly RepoProblem[], steps: number): number {
  const markup = 2;
  const lengths = problems.flatMap(({ right }) =>
    right.map(({ statements: [first, second] }) => first.length + second.length),
  );
  // `view FILE full` shows the name, both statements and the separator between them.
  const view = 3 + markup + 2 + Math.max(...lengths);
  const search = 2 + markup + Math.max(...problems.map(({ right }) => right.length));
  const prompt = Math.max(...problems.map((problem) => problem.prompt.length));
  return Math.ceil((prompt + (steps - 1) * Math.max(view, search) + LONGEST_ACTION) / 4) * 4;
}

/** Module that constructs the repository environment from its problems and a sandbox for tests. */
export const environmentModule: EnvironmentModule<ProblemSplit> = {
  load: (settings) => loadProblems(repoSettings(settings).bugs),
  async create(settings, shipped, { execute, customTasks }) {
    const { bugs, worldSeed } = repoSettings(settings);
    const problems =
      worldSeed === 0 ? shipped : await worlds(`${bugs} ${worldSeed}`, () => drawProblems(execute, bugs, worldSeed));
    const repositories = customTasks && { repositories: await readCustomProblems(customTasks, execute) };
    return createRepoEnvironment(settings, { execute, problems, ...repositories });
  },
};

const worlds = cachedTaskSets<ProblemSplit>();

/**
 * Reads custom repositories and runs their tests.
 * @throws {RepositoriesError} for an invalid file; the message names the file, line and field
 */
async function readCustomProblems({ file, text }: CustomTasks, execute: Execute): Promise<ProblemSplit> {
  const { splitProblems, readRepositories, verifyRepositories } = await import('./repositoriesFile.ts');
  const given = readRepositories(text, file);
  await verifyRepositories(given, execute, file);
  return splitProblems(given);
}
