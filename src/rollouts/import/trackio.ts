import type { ImportCounts } from './importCounts.ts';
import { ImportError } from './importError.ts';
import { conversation, readMessages } from './messages.ts';
import { parsePythonJson } from './pythonJson.ts';
import type { LogReader } from './reader.ts';
import type { LoggedRollout } from './rollout.ts';
import { type Columns, isRecord, LIST, type LogRow, NUMBER, omitColumns, optional, pick, RECORD } from './row.ts';

/** Metadata fields that identify the prompt of a trace, in order of precedence. TRL writes `group_id`. */
const GROUPS = ['group_id', 'prompt_id', 'example_id', 'task_id'];

/**
 * Reader of Trackio's traces. A row has `run_name`, `step`, `key`, `trace_index`, `messages` and `metadata`, the last
 * two as JSON texts. The rows are in the table `traces` of `PROJECT.db` (SQLite), in `PROJECT_traces.parquet` or in
 * `aux/traces.parquet`. TRL logs at most 16 rollouts per step under `rollouts`, with `reward`, `rewards/NAME`,
 * `advantage` and `group_id` in the metadata. A group is the traces with equal `group_id` (or `prompt_id`,
 * `example_id`, `task_id`), step, run and key. Without such an id, the messages before the first turn must be equal.
 * Source: gradio-app/trackio (2a02752), trackio/sqlite_storage.py, table `traces`, `_split_trace_metrics`,
 * `_normalize_trace_rows_for_parquet`; trackio/trace.py; huggingface/trl, trl/experimental/async_grpo, which logs
 * `trackio.Trace`.
 */
export class TraceTableReader implements LogReader {
  constructor(private readonly report: ImportCounts) {}

  index(row: LogRow): LoggedRollout[] {
    return read(row, this.report);
  }

  rollouts(row: LogRow): LoggedRollout[] {
    return read(row);
  }
}

/** Returns true if columns are those of a Trackio trace. */
export function isTraceRow(columns: Columns): boolean {
  return ['messages', 'metadata', 'trace_index', 'run_name'].every((name) => columns[name] !== undefined);
}

const READ_COLUMNS = [
  'step',
  'messages',
  'metadata',
  'search_text',
  'key',
  'run_name',
  'run_id',
  'space_id',
  'log_id',
  'timestamp',
  'id',
];

function read(given: LogRow, report?: ImportCounts): LoggedRollout[] {
  const row: LogRow = {
    ...given,
    columns: { ...given.columns, ...decoded(given, 'messages'), ...decoded(given, 'metadata') },
  };
  const { columns } = row;
  const messages = readMessages(row, 'messages', optional(row, 'messages', LIST) ?? []);
  const metadata: LogRow = { ...row, columns: optional(row, 'metadata', RECORD) ?? {} };
  const { before, turns } = conversation(messages);
  const group = GROUPS.find((name) => metadata.columns[name] !== undefined && metadata.columns[name] !== null);
  if (!group) report?.note('traces without a group_id, grouped by their first messages');
  const components = Object.entries(metadata.columns).flatMap(([name, value]) =>
    name.startsWith('rewards/') && typeof value === 'number' ? [[name.slice('rewards/'.length), value] as const] : [],
  );
  const name = group ? `${group === 'group_id' ? 'group' : group}-${metadata.columns[group]}` : undefined;
  return [
    {
      key: JSON.stringify([
        columns.run_id ?? columns.run_name,
        columns.key,
        columns.step,
        group ? metadata.columns[group] : before,
      ]),
      step: optional(row, 'step', NUMBER),
      ...(name === undefined ? {} : { name }),
      location: row.location,
      prompt: before,
      turns,
      // Trackio writes NaN as text for a rollout that was not scored.
      outcome: metadata.columns.reward === 'NaN' ? undefined : optional(metadata, 'reward', NUMBER),
      ...(components.length > 0 ? { components: Object.fromEntries(components) } : {}),
      promptColumns: pick(columns, ['run_name', 'key']),
      columns: {
        ...omitColumns(columns, READ_COLUMNS),
        ...omitColumns(metadata.columns, ['reward', ...components.map(([component]) => `rewards/${component}`)]),
      },
    },
  ];
}

/** Parses a column with JSON text. @throws {ImportError} if the text is not JSON */
function decoded(row: LogRow, column: string): Columns {
  const value = row.columns[column];
  if (typeof value !== 'string') return {};
  try {
    const { value: parsed } = parsePythonJson(value);
    return { [column]: isRecord(parsed) || Array.isArray(parsed) ? parsed : null };
  } catch (error) {
    throw new ImportError({ ...row.location, column }, `not JSON (${(error as Error).message})`);
  }
}
