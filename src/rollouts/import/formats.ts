import { isTrajectory, readResponses, readTrajectories, readTrials } from './agents.ts';
import type { ImportCounts } from './importCounts.ts';
import { LineSource, type LogFile, type RowSource } from './logFile.ts';
import { LOG_FORMATS, type LogFormat, type LogReader, type ReadRow, type RewardWeights, rowReader } from './rollout.ts';
import { type Columns, ImportError } from './row.ts';
import { isParquet, isTable, jsonTable, parquetTable } from './tables.ts';
import { isTraceRow, readSummary, readTrackio } from './tinkerAndTrackio.ts';
import { TrlReader } from './trl.ts';
import { readVerifiers } from './verifiers.ts';
import { readVerl } from './verl.ts';

/** Log format. */
interface Format {
  /** Columns as text for messages. */
  readonly rows: string;
  /** Returns true if columns are those of the format. */
  fits(columns: Columns): boolean;
  /** Reads a row; absent if the first pass determines how rows are read (trl.ts). */
  readonly read?: ReadRow;
  /** `total` if the rewards of rollouts contain the turn rewards. */
  readonly outcome?: 'total';
}

const has = (columns: Columns, ...names: readonly string[]) => names.every((name) => columns[name] !== undefined);

const FORMATS: Readonly<Record<LogFormat, Format>> = {
  verl: { rows: 'input, output, score', fits: (columns) => has(columns, 'input', 'output'), read: readVerl },
  verifiers: {
    rows: 'completion, reward; or nodes; or traces',
    fits: (columns) =>
      Array.isArray(columns.traces) || Array.isArray(columns.nodes) || has(columns, 'completion', 'reward'),
    read: readVerifiers,
  },
  trl: { rows: 'prompt, completion, reward columns, advantage', fits: (columns) => has(columns, 'completion') },
  'nemo-gym': {
    rows: 'responses_create_params, response, reward',
    fits: (columns) => has(columns, 'responses_create_params'),
    read: readResponses,
  },
  'swe-agent': { rows: 'trajectory, info; or attempts', fits: isTrajectory, read: readTrajectories },
  'tinker-cookbook': {
    rows: 'steps, group_idx, total_reward',
    fits: (columns) => has(columns, 'steps', 'group_idx'),
    read: readSummary,
    outcome: 'total',
  },
  trackio: { rows: 'run_name, key, messages, metadata', fits: isTraceRow, read: readTrackio },
  'tau-bench': { rows: 'task_id, traj, reward', fits: (columns) => has(columns, 'traj'), read: readTrials },
};

/** Formats in the order of detection: a format with more specific columns comes first. */
const DETECTED: readonly LogFormat[] = [
  'nemo-gym',
  'tau-bench',
  'trackio',
  'tinker-cookbook',
  'verl',
  'verifiers',
  'trl',
  'swe-agent',
];

/** Creates the reader of a file. */
export function readerOf(
  format: LogFormat,
  source: RowSource,
  counts: ImportCounts,
  weights: RewardWeights | undefined,
): LogReader {
  const { read, outcome } = FORMATS[format];
  return read ? rowReader(read, counts, outcome) : new TrlReader(source, counts, weights);
}

/** Function that reads a SQLite database. Undefined on the page, which does not load a SQLite library. */
export type ReadDatabase = (file: LogFile) => Promise<RowSource>;

/** First bytes of a SQLite file. Source: sqlite.org/fileformat2.html, section 1.3. */
const SQLITE = 'SQLite format 3\u0000';

async function isSqlite(file: LogFile): Promise<boolean> {
  return new TextDecoder().decode(await file.slice(0, Math.min(SQLITE.length, file.byteLength))) === SQLITE;
}

/** Opens a log of any file type: Parquet, SQLite, JSON Lines, a JSON array of rows, or a JSON table (TRL). */
export async function openRows(file: LogFile, requested?: LogFormat, sqlite?: ReadDatabase): Promise<RowSource> {
  if (await isParquet(file)) return parquetTable(file);
  if (await isSqlite(file)) {
    if (sqlite) return sqlite(file);
    throw new ImportError({ file: file.name }, 'a SQLite database, which `import` of the terminal program reads');
  }
  const lines = new LineSource(file);
  const start = new TextDecoder().decode(await file.slice(0, Math.min(4096, file.byteLength)));
  // A file is a table if it starts with a list, or with a brace on a separate line. A row continues after its brace.
  if (/^\uFEFF?\s*(?:\[|\{\s*\n)/.test(start)) return jsonTable(file);
  if (requested !== undefined && requested !== 'trl') return lines;
  for await (const { row } of lines.rows()) return isTable(row.columns) ? jsonTable(file) : lines;
  return lines;
}

/** Returns the columns of the first row. @throws {ImportError} for a file without rows */
export async function firstColumns(file: LogFile, source: RowSource): Promise<Columns> {
  for await (const { row } of source.rows()) return row.columns;
  throw new ImportError({ file: file.name }, 'has no rows');
}

/**
 * Returns true if columns are fields of a group. A group without `id` also counts if no log format matches, so that the
 * reader of groups reports the missing `id`.
 */
export function isGroup(columns: Columns): boolean {
  return Array.isArray(columns.turns) && (columns.id !== undefined || guess(columns) === undefined);
}

/**
 * Returns the format of a log, detected by the columns of its first row.
 * @param requested format that the user specified; undefined to detect it
 * @throws {ImportError} if the format is unknown or differs from the requested format
 */
export function formatOf(file: LogFile, columns: Columns, requested: LogFormat | undefined): LogFormat {
  if (requested && FORMATS[requested].fits(columns)) return requested;
  const detected = guess(columns);
  if (requested && (detected === undefined || detected === requested)) return requested;
  if (requested)
    throw new ImportError(
      { file: file.name },
      `a log of ${detected}, not of ${requested}: --from ${detected} reads it`,
    );
  if (detected) return detected;
  const known = LOG_FORMATS.map((format) => `${format} (${FORMATS[format].rows})`).join(', ');
  const there = Object.keys(columns).slice(0, 12).join(', ');
  const nearest = nearestOf(columns);
  throw new ImportError(
    { file: file.name },
    `of no known format: the first row has ${there}.${nearest} Known: ${known}`,
  );
}

/** Returns a sentence about the format that shares most columns with a row; empty if no format shares a column. */
function nearestOf(columns: Columns): string {
  const counted = LOG_FORMATS.map((format) => {
    const names = FORMATS[format].rows.split(/[,;] /).filter((name) => /^\w+$/.test(name));
    const [missing, present] = [
      names.filter((name) => !has(columns, name)),
      names.filter((name) => has(columns, name)),
    ];
    return { format, missing, share: present.length / names.length };
  });
  const [best] = counted.sort((a, b) => b.share - a.share);
  return best.share === 0 ? '' : ` The nearest format is ${best.format}, which also has ${best.missing.join(', ')}.`;
}

function guess(columns: Columns): LogFormat | undefined {
  // TRL logs an advantage with each completion; verifiers logs a reward.
  if (has(columns, 'completion', 'advantage') && !has(columns, 'metrics')) return 'trl';
  return DETECTED.find((format) => FORMATS[format].fits(columns));
}
