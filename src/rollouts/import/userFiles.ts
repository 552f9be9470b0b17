import type { Group } from '../forest.ts';
import { ImportCounts } from './importCounts.ts';
import { ImportError } from './importError.ts';
import { contextOf, importLog } from './importLog.ts';
import { type ImportSettings, readSettings } from './importSettings.ts';
import { joinParts, logsInFolder } from './logPaths.ts';
import { type LogHost, type OpenFile, openLog } from './openLog.ts';

/** File of the user, with its path in the dropped or selected folder. */
export interface UserFile {
  readonly path: string;
  readonly file: Blob;
}

/** Size of the pieces of a stored log [bytes]. Each piece becomes a Blob, which a browser can move to disk. */
const PIECE = 16 << 20;

/**
 * Reads logs of trainers and files of groups, single or in folders.
 * @param files one file with any name, or several files, of which only logs are read
 * @param see receives each group
 * @param settings settings of the import; the columns of a log determine missing settings
 * @returns the report of the import, which counts no rows for files of groups
 * @throws {ImportError | ForestError} that names the file and line of the first error
 */
export async function readUserFiles(
  files: readonly UserFile[],
  see: (group: Group) => void,
  settings: ImportSettings = {},
): Promise<ImportCounts> {
  const { from, ...options } = readSettings(settings);
  const byPath = new Map(files.map(({ path, file }) => [path, file]));
  const paths = files.length === 1 ? files.map(({ path }) => path) : logsInFolder([...byPath.keys()]);
  if (paths.length === 0) throw new ImportError({}, 'there is no .jsonl, .json, .parquet or .traj file');
  const imported = new ImportCounts();
  const context = { ...contextOf(imported), ...options, groups: true };
  const host = hostOf(byPath);
  for (const path of joinParts(paths)) {
    await openLog(path, host, async (log) => {
      for await (const group of importLog(log, from, context)) see(group);
    });
  }
  return imported;
}

function hostOf(files: ReadonlyMap<string, Blob>): LogHost {
  return {
    open: async (path) => openBlob(files.get(path) ?? new Blob()),
    store: async (bytes) => openBlob(await blobOf(bytes)),
    list: async (folder) => [...files.keys()].filter((path) => path.startsWith(`${folder}/`)),
    text: async (path) => files.get(path)?.text(),
    show: (path) => path,
  };
}

function openBlob(blob: Blob): OpenFile {
  return {
    byteLength: blob.size,
    slice: (start, end) => blob.slice(start, end).arrayBuffer(),
    close: async () => {},
  };
}

async function blobOf(bytes: AsyncIterable<Uint8Array>): Promise<Blob> {
  const blobs: Blob[] = [];
  let [parts, size]: [BlobPart[], number] = [[], 0];
  const close = () => {
    blobs.push(new Blob(parts));
    [parts, size] = [[], 0];
  };
  for await (const chunk of bytes) {
    parts.push(chunk as Uint8Array<ArrayBuffer>);
    size += chunk.length;
    if (size >= PIECE) close();
  }
  close();
  return new Blob(blobs);
}
