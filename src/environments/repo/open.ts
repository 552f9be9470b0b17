import type { EnvironmentModule, OwnTasks } from '../environment.ts';
import type { Execute } from '../shared/execution.ts';
import type { ProblemSplit } from './problem.ts';
import { createRepoEnvironment } from './repoEnvironment.ts';
import { repoSettings } from './repoSettings.ts';
import { loadProblems } from './repoTasks.ts';

/** How the repository environment is made: problems, and a sandbox for tests. */
export const environmentModule: EnvironmentModule<ProblemSplit> = {
  load: (settings) => loadProblems(repoSettings(settings).bugs),
  async create(settings, problems, { execute, own }) {
    const repositories = own && { repositories: await readOwn(own, execute) };
    return createRepoEnvironment(settings, { execute, problems, ...repositories });
  },
};

/** Repositories of one's own, whose tests were run. @throws {RepositoriesError} naming file, line and field */
async function readOwn({ file, text }: OwnTasks, execute: Execute): Promise<ProblemSplit> {
  const { givenSplit, readRepositories, verifyRepositories } = await import('./repositoriesFile.ts');
  const given = readRepositories(text, file);
  await verifyRepositories(given, execute, file);
  return givenSplit(given);
}
