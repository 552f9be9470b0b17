import type { EnvironmentModule, OwnTasks } from '../environment.ts';
import type { Execute } from '../shared/execution.ts';
import { createRepairEnvironment } from './repairEnvironment.ts';
import { loadProblems, type Problem, type RepairTask } from './repairTasks.ts';
import { TaskError } from './taskError.ts';

/** How the repair environment is made: problems, and a sandbox for programs. */
export const environmentModule: EnvironmentModule<readonly Problem[]> = {
  load: loadProblems,
  async create(settings, problems, { execute, own }) {
    const tasks = own && { tasks: await readOwn(own, execute) };
    return createRepairEnvironment(settings, { execute, problems, ...tasks });
  },
};

/** Tasks of one's own, whose references really pass. @throws {TaskError} naming file, line and field */
async function readOwn({ file, text }: OwnTasks, execute: Execute): Promise<readonly RepairTask[]> {
  const { checkReferences, readTasks, taskLines } = await import('./taskFile.ts');
  try {
    const tasks = readTasks(text);
    await checkReferences(tasks, execute, taskLines(text));
    return tasks;
  } catch (error) {
    throw error instanceof TaskError ? error.inFile(file) : error;
  }
}
