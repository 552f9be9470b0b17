import { createReadStream } from 'node:fs';
import type { Group } from '../../rollouts/forest.ts';
import type { LogFormat } from '../../rollouts/import/formats.ts';
import { type ImportContext, importLog } from '../../rollouts/import/importLog.ts';
import { readGroup } from '../../rollouts/jsonLines.ts';
import { textLines } from '../../rollouts/lineStream.ts';
import { withLog } from './logFiles.ts';
import type { Terminal } from './terminal.ts';

/** Calls `see` with every group of logs and files of groups, in their order. @throws {ImportError | ForestError | UsageError} */
export async function readLogs(
  files: readonly string[],
  from: LogFormat | undefined,
  context: ImportContext,
  terminal: Pick<Terminal, 'signal'>,
  see: (group: Group) => void,
): Promise<void> {
  for (const file of files) {
    if (from === undefined && (await hasGroups(file))) {
      for await (const { text, number } of textLines(createReadStream(file))) see(readGroup(text, number));
      continue;
    }
    await withLog(file, terminal.signal, async (log) => {
      for await (const group of importLog(log, from, context)) see(group);
    });
  }
}

/** True if the first line of a file is a group. */
async function hasGroups(file: string): Promise<boolean> {
  if (file.endsWith('.parquet')) return false;
  try {
    for await (const { text, number } of textLines(createReadStream(file))) {
      readGroup(text, number);
      return true;
    }
  } catch {
    // A log, or no JSON Lines at all.
  }
  return false;
}
