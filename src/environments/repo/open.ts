import type { CustomTasks, EnvironmentModule } from '../environment.ts';
import { cachedTaskSets } from '../shared/cachedTaskSets.ts';
import type { Execute } from '../shared/execution.ts';
import type { ProblemSplit } from './problem.ts';
import { createRepoEnvironment } from './repoEnvironment.ts';
import { repoSettings } from './repoSettings.ts';
import { drawProblems, loadProblems } from './repoTasks.ts';

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
