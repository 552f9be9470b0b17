import type { CustomTasks, EnvironmentModule } from '../environment.ts';
import { cachedTaskSets } from '../shared/cachedTaskSets.ts';
import type { Execute } from '../shared/execution.ts';
import { createRepairEnvironment } from './repairEnvironment.ts';
import { repairSettings } from './repairSettings.ts';
import { loadProblems, type Problem, type RepairTask, readProblems } from './repairTasks.ts';
import { TaskError } from './taskError.ts';

/** Module that constructs the repair environment from its problems and a sandbox for programs. */
export const environmentModule: EnvironmentModule<readonly Problem[]> = {
  load: loadProblems,
  async create(settings, shipped, { execute, customTasks }) {
    const { worldSeed } = repairSettings(settings);
    const problems = worldSeed === 0 ? shipped : await drawnProblems(worldSeed, execute);
    const tasks = customTasks && { tasks: await readCustomTasks(customTasks, execute) };
    return createRepairEnvironment(settings, { execute, problems, ...tasks });
  },
};

const worlds = cachedTaskSets<readonly Problem[]>();

/** Creates the problems of another world by running Python. */
function drawnProblems(world: number, execute: Execute): Promise<readonly Problem[]> {
  return worlds(String(world), async () => {
    const { problemSeed, recordProblems } = await import('./recordProblems.ts');
    return readProblems(await recordProblems(execute, problemSeed(world)));
  });
}

/**
 * Reads custom tasks and runs their references, which must pass.
 * @throws {TaskError} for an invalid file; the message names the file, line and field
 */
async function readCustomTasks({ file, text }: CustomTasks, execute: Execute): Promise<readonly RepairTask[]> {
  const { checkReferences, readTasks, taskLines } = await import('./taskFile.ts');
  try {
    const tasks = readTasks(text);
    await checkReferences(tasks, execute, taskLines(text));
    return tasks;
  } catch (error) {
    throw error instanceof TaskError ? error.inFile(file) : error;
  }
}
