import type { Group } from '../../rollouts/forest.ts';
import { type ImportContext, importLog } from '../../rollouts/import/importLog.ts';
import type { LogPath } from '../../rollouts/import/logPaths.ts';
import type { LogFormat } from '../../rollouts/import/rollout.ts';
import { ImportError } from '../../rollouts/import/row.ts';
import { EventLoopYield } from '../output/eventLoopYield.ts';
import { withLog } from './logFiles.ts';
import type { Terminal } from './terminal.ts';

/**
 * Calls `see` with each group of the logs and its file, in order.
 * @throws {ImportError | ForestError | UsageError | Interrupted}
 */
export async function readLogs(
  files: readonly LogPath[],
  from: LogFormat | undefined,
  context: ImportContext,
  { signal }: Pick<Terminal, 'signal'>,
  see: (group: Group, file: LogPath) => void | Promise<void>,
): Promise<void> {
  const turns = new EventLoopYield(signal);
  for (const file of files) {
    await withLog(file, signal, async (log) => {
      for await (const group of importLog(log, from, context)) {
        await turns.pause();
        await see(group, file);
      }
    }).catch(withRemedy);
  }
}

/** Adds the flag `--reward` to the message of an error that this flag can prevent. */
function withRemedy(error: unknown): never {
  if (!(error instanceof ImportError) || error.location.column !== 'advantage') throw error;
  throw new ImportError(
    error.location,
    `${error.problem} Name each reward column with --reward NAME or --reward NAME=WEIGHT`,
  );
}
