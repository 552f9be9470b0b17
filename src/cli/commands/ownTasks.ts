import { existsSync } from 'node:fs';
import type { RepairEnvironment } from '../../environments/repair/repairEnvironment.ts';
import { TaskError } from '../../environments/repair/taskError.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { AnyEnvironment, OwnTasks } from '../../training/run/openEnvironment.ts';
import { UsageError } from '../framework/errors.ts';
import { type FlagTable, text } from '../framework/flags.ts';
import { readTextFile } from '../framework/inputs.ts';

const HELP =
  'to train and evaluate on in place of the shipped ones, JSON Lines. The warm start stays as it is. A kept run does not hold ' +
  'them: give them again with --resume.';

/** The flag for a file of one's own, by environment. */
export const OWN_TASKS: Readonly<Record<EnvironmentName, FlagTable>> = {
  search: {},
  repair: { tasks: text('FILE', `Tasks of one's own (docs/repair.md) ${HELP}`) },
  repo: { repositories: text('FILE', `Repositories of one's own (docs/repo.md) ${HELP}`) },
};

/** Reads the file that one of these flags names, where one does. @throws {UsageError} where it cannot be read */
export function readOwnTasks(environment: EnvironmentName, flags: object): OwnTasks | undefined {
  for (const flag of Object.keys(OWN_TASKS[environment])) {
    const file = (flags as Readonly<Record<string, string | undefined>>)[flag];
    if (file === undefined) continue;
    if (!existsSync(file)) throw new UsageError(`--${flag}: there is no file ${file}`);
    return { file, text: readTextFile(flag, file) };
  }
  return undefined;
}

/** Tasks of a split, said before any work is done. @throws {TaskError} where a file of tasks has none for it */
export function checkSplit(environment: AnyEnvironment, split: 'train' | 'held-out', own: OwnTasks | undefined): void {
  // Repositories without a split serve both.
  if (own === undefined || environment.name !== 'repair') return;
  const { tasks } = environment as unknown as RepairEnvironment;
  if (tasks.some(({ heldOut }) => heldOut === (split === 'held-out'))) return;
  const problem = `${split === 'train' ? 'all' : 'none'} of the ${tasks.length} tasks are held out, none is for ${split}`;
  throw new TaskError(0, 'heldOut', problem, own.file);
}
