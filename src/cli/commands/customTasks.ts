import { existsSync } from 'node:fs';
import type { CustomTasks } from '../../environments/environment.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import { UsageError } from '../framework/errors.ts';
import { type FlagTable, text } from '../framework/flags.ts';
import { readTextFile } from '../framework/inputs.ts';

const HELP =
  'to train and evaluate on instead of the shipped ones, as JSON Lines. The warm start does not change. A saved run does not ' +
  'contain them: repeat this flag with --resume.';

/** Creates the flag for a file of custom tasks. Returns no flag if the environment does not support custom tasks. */
export function createCustomTasksFlag(environment: EnvironmentName): FlagTable {
  const { customTasks } = ENVIRONMENTS[environment];
  return customTasks ? { [customTasks.flag]: text('FILE', `${customTasks.help} ${HELP}`) } : {};
}

/**
 * Reads the file of custom tasks, or returns undefined if no flag names a file.
 * @throws {UsageError} if the file cannot be read
 */
export function readCustomTasks(environment: EnvironmentName, flags: object): CustomTasks | undefined {
  for (const flag of Object.keys(createCustomTasksFlag(environment))) {
    const file = (flags as Readonly<Record<string, string | undefined>>)[flag];
    if (file === undefined) continue;
    if (!existsSync(file)) throw new UsageError(`--${flag}: there is no file ${file}`);
    return { file, text: readTextFile(flag, file) };
  }
  return undefined;
}
