import type { EngineDevice } from '../../src/engine/engine.ts';
import { createRunFactory, type RunFactory } from '../../src/training/run/openRun.ts';
import type { GroupBank } from './groupBank.ts';
import { scriptedTrainers } from './scriptedTrainer.ts';

/**
 * Returns the factory of scripted runs.
 * @param banks recorded groups by environment, with the suffix `-tree` for trees
 */
export function scriptedRuns(banks: Readonly<Record<string, GroupBank>>): RunFactory {
  return {
    openAhead: (open) => open().catch((): EngineDevice | undefined => undefined),
    ...createRunFactory(scriptedTrainers(banks)),
  };
}
