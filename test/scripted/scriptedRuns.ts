import { createRunFactory, type RunFactory } from '../../src/training/run/openRun.ts';
import type { GroupBank } from './groupBank.ts';
import { scriptedTrainers } from './scriptedTrainer.ts';

/**
 * Returns the factory of scripted runs.
 * @param banks recorded groups by environment, with the suffix `-tree` for trees
 */
export function scriptedRuns(banks: Readonly<Record<string, GroupBank>>): RunFactory {
  return createRunFactory(scriptedTrainers(banks));
}
