import type { Environment, Timing } from '../../environments/environment.ts';
import { createSearchEnvironment } from '../../environments/search/searchEnvironment.ts';
import type { Execute } from '../../environments/shared/execution.ts';
import { type ProgramSandbox, sandboxExecute } from '../../environments/shared/sandboxExecute.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { type PolicyConfiguration, standardPolicy } from '../../policy/policyConfiguration.ts';
import type { EnvironmentName, RunConfiguration } from '../data/configuration.ts';
import { loaded } from '../data/notLoaded.ts';

/** What environments need from the place they run in. */
export interface EnvironmentHost {
  /** Opens a sandbox for the programs of policies. */
  openSandbox?(): ProgramSandbox & { close(): void };
}

/** Any environment, as training sees it. */
export type AnyEnvironment = Environment<unknown, Timing>;

/** An environment with what it holds open. */
export interface OpenEnvironment {
  readonly environment: AnyEnvironment;
  /** Starts the sandbox that the environment will need, which takes a while; otherwise the first program starts it. */
  warmUp(): void;
  /** Ends the sandbox, where one was opened. */
  close(): void;
}

/** A file of tasks to train and evaluate on in place of the shipped ones; these make the warm start all the same. */
export interface OwnTasks {
  /** Its name, for messages. */
  readonly file: string;
  readonly text: string;
}

type Maker = (settings: ParameterValues, execute: Execute, own: OwnTasks | undefined) => Promise<AnyEnvironment>;

/** The environments that run programs are loaded when they are asked for. */
const MAKERS: Readonly<Record<EnvironmentName, Maker>> = {
  async search(settings, _, own) {
    if (own) throw new Error(`${own.file}: the search environment reads no tasks`);
    return createSearchEnvironment(settings);
  },
  async repair(settings, execute, own) {
    const [{ createRepairEnvironment }, { loadProblems }] = await loaded(
      'the environment Repair',
      Promise.all([
        import('../../environments/repair/repairEnvironment.ts'),
        import('../../environments/repair/repairTasks.ts'),
      ]),
    );
    const tasks = own && { tasks: await readOwnTasks(own, execute) };
    const problems = await loaded('the problems of Repair', loadProblems());
    const parts = { execute, problems, ...tasks };
    return createRepairEnvironment(settings, parts) as AnyEnvironment;
  },
  async repo(settings, execute, own) {
    const [{ createRepoEnvironment }, { loadProblems }] = await loaded(
      'the environment Repository',
      Promise.all([
        import('../../environments/repo/repoEnvironment.ts'),
        import('../../environments/repo/repoTasks.ts'),
      ]),
    );
    const bugs = settings.bugs as Parameters<typeof loadProblems>[0];
    const repositories = own && { repositories: await readOwnRepositories(own, execute) };
    const problems = await loaded('the problems of Repository', loadProblems(bugs));
    const parts = { execute, problems, ...repositories };
    return createRepoEnvironment(settings, parts) as AnyEnvironment;
  },
};

async function readOwnTasks({ file, text }: OwnTasks, execute: Execute) {
  const { checkReferences, readTasks, taskLines } = await import('../../environments/repair/taskFile.ts');
  const { TaskError } = await import('../../environments/repair/taskError.ts');
  try {
    const tasks = readTasks(text);
    await checkReferences(tasks, execute, taskLines(text));
    return tasks;
  } catch (error) {
    throw error instanceof TaskError ? error.inFile(file) : error;
  }
}

async function readOwnRepositories({ file, text }: OwnTasks, execute: Execute) {
  const { givenSplit, readRepositories, verifyRepositories } = await import(
    '../../environments/repo/repositoriesFile.ts'
  );
  const given = readRepositories(text, file);
  await verifyRepositories(given, execute, file);
  return givenSplit(given);
}

/**
 * Opens the environment of a configuration. Its sandbox starts with the first program that runs, and ends with `close`.
 * @param configuration checked (checkConfiguration)
 * @param own in place of the shipped tasks, in repair (docs/repair.md) and repo (docs/repo.md); references and tests are run
 * @throws {TaskError | RepositoriesError} for what is wrong with `own`, naming file, line and field
 */
export async function openEnvironment(
  { environment, settings }: Pick<RunConfiguration, 'environment' | 'settings'>,
  host: EnvironmentHost = {},
  own?: OwnTasks,
): Promise<OpenEnvironment> {
  let sandbox: ReturnType<NonNullable<EnvironmentHost['openSandbox']>> | undefined;
  let closed = false;
  const open = () => {
    sandbox ??= host.openSandbox?.();
    return sandbox;
  };
  const execute: Execute = async (executions) => {
    if (closed) throw new Error(`the environment "${environment}" is closed`);
    const sandbox = open();
    if (!sandbox) throw new Error(`the environment "${environment}" runs programs, and there is no sandbox here`);
    return sandboxExecute(sandbox)(executions);
  };
  const opened = await MAKERS[environment](settings, execute, own).catch((error: unknown) => {
    sandbox?.close();
    throw error;
  });
  return {
    environment: opened,
    warmUp() {
      if (environment !== 'search' && !closed) open();
    },
    close() {
      closed = true;
      sandbox?.close();
    },
  };
}

/** The shape of the policy that learns an environment. */
export function policyFor({ vocabulary, context, network }: AnyEnvironment): PolicyConfiguration {
  const standard = standardPolicy(vocabulary.size, context);
  if (!network) return standard;
  const { layers, dim, heads, ropeBase = standard.ropeBase } = network;
  return { ...standard, layers, dim, heads, kvHeads: heads, ropeBase };
}
