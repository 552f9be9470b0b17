import type { Group } from '../forest.ts';
import { ImportCounts } from './importCounts.ts';
import { contextOf, type ImportContext, importLog } from './importLog.ts';
import { joinParts, logsInFolder } from './logPaths.ts';
import { type LogHost, type OpenFile, openLog } from './openLog.ts';
import { LOG_FORMATS, type LogFormat } from './rollout.ts';
import { ImportError } from './row.ts';
import { readPair, type TagPair } from './turnSignals.ts';

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

/** Settings of an import as the user enters them. An empty text selects the default. */
export interface ImportSettings {
  /** Writer of the log, one of LOG_FORMATS. */
  readonly from?: string;
  /** Column with a list of turn rewards. */
  readonly turnRewards?: string;
  /** Pairs of tags such as `</search>..<information>`, separated by spaces or commas; or `none`. */
  readonly cut?: string;
  /** `total` if the reward of a rollout contains its turn rewards, `apart` if it does not. */
  readonly outcome?: string;
  /** Reward columns of TRL with optional weights, for example `accuracy, format=0.5`. */
  readonly rewards?: string;
}

/** Names of the settings, in the order of the page. */
const SETTINGS = [
  'from',
  'turnRewards',
  'cut',
  'outcome',
  'rewards',
] as const satisfies readonly (keyof ImportSettings)[];

/**
 * Parses the settings of an import.
 * @throws {ImportError} that names the setting, its value and the allowed values
 */
function readSettings(
  settings: ImportSettings,
): Pick<ImportContext, 'weights' | 'signals'> & { readonly from: LogFormat | undefined } {
  const [from, turnRewards, cut, outcome, rewards] = SETTINGS.map((name) => settings[name]?.trim() || undefined);
  return {
    from: choiceOf('Trainer', from, LOG_FORMATS),
    signals: {
      turnRewards,
      cut: cut === undefined ? undefined : pairsOf(cut),
      outcome: choiceOf('Rollout reward', outcome, ['total', 'apart'] as const),
    },
    weights: rewards === undefined ? undefined : new Map(rewards.split(',').map((part) => weightOf(part.trim()))),
  };
}

function choiceOf<Option extends string>(
  setting: string,
  given: string | undefined,
  options: readonly Option[],
): Option | undefined {
  if (given === undefined) return undefined;
  const option = options.find((known) => known === given);
  if (option) return option;
  throw new ImportError({}, `${setting}: "${given}" is not one of ${options.join(', ')}`);
}

function pairsOf(given: string): readonly TagPair[] {
  if (given === 'none') return [];
  return given.split(/[\s,]+/).map((text) => {
    const pair = readPair(text);
    if (pair) return pair;
    throw new ImportError({}, `Tags: "${text}" is not </TAG>..<ANSWER>, or none`);
  });
}

/**
 * Parses "NAME" or "NAME=WEIGHT" with a default weight of 1. The last equals sign separates the weight.
 * @throws {ImportError} if the weight is not a number
 */
export function weightOf(given: string): readonly [name: string, weight: number] {
  const match = /^(.+)=([^=]*)$/.exec(given);
  if (!match) return [given, 1];
  const value = match[2].trim() === '' ? Number.NaN : Number(match[2]);
  if (Number.isFinite(value)) return [match[1], value];
  throw new ImportError({}, `the weight "${match[2]}" is not a number`);
}
