import type { ImportCounts } from './importCounts.ts';
import { parsePythonJson } from './logFile.ts';
import { conversation, readMessages } from './messages.ts';
import type { LoggedRollout, LoggedTurn, Message } from './rollout.ts';
import {
  type Columns,
  ImportError,
  isRecord,
  LIST,
  type LogRow,
  NUMBER,
  omitColumns,
  optional,
  partOf,
  pick,
  RECORD,
  required,
  requiredOrNull,
  TEXT,
} from './row.ts';

const SUMMARY_COLUMNS = [
  'iteration',
  'split',
  'group_idx',
  'tags',
  'total_reward',
  'steps',
  'trajectory_metrics',
  'schema_version',
];

/**
 * Reads a row of tinker-cookbook's rollout summaries, `iteration_000012/train_rollout_summaries.jsonl`. A line is one
 * trajectory with `split`, `iteration`, `group_idx`, `traj_idx`, `total_reward`, `final_reward` (of the group) and
 * `steps`. A step has `reward`, `ac_len`, `stop_reason`, `metrics` and `logs`. `total_reward` is the sum of the step
 * rewards and `final_reward`. The summaries have no texts. A step has `trace.prompt.messages` if the environment
 * records them. A group is the trajectories of one `group_idx` in an iteration and a split.
 * Source: thinking-machines-lab/tinker-cookbook (9dfcc3a), tinker_cookbook/rl/rollout_logging.py,
 * `serialize_rollout_summaries`; tinker_cookbook/rl/types.py, `TrajectoryGroup.get_total_rewards`.
 */
export function readSummary(row: LogRow, report?: ImportCounts): LoggedRollout[] {
  const { columns } = row;
  const steps = required(row, 'steps', LIST).map((step, index) => partOf(row, `steps[${index}]`, step));
  const split = optional(row, 'split', TEXT) ?? 'train';
  const group = required(row, 'group_idx', NUMBER);
  const turns = steps.map(turnOf);
  if (turns.every(({ text }) => text === '')) report?.note('rollouts without texts: rollout summaries have none');
  return [
    {
      key: JSON.stringify([split, columns.iteration, group]),
      step: optional(row, 'iteration', NUMBER),
      name: `${split === 'train' ? '' : `${split}/`}group-${group}`,
      location: row.location,
      prompt: steps[0] && promptOf(steps[0]),
      turns,
      outcome: requiredOrNull(row, 'total_reward', NUMBER),
      truncated: steps.at(-1)?.columns.stop_reason === 'length',
      promptColumns: { split, ...(columns.tags === undefined ? {} : { tags: columns.tags }) },
      columns: {
        ...omitColumns(columns, SUMMARY_COLUMNS),
        ...optional(row, 'trajectory_metrics', RECORD),
      },
    },
  ];
}

function turnOf(step: LogRow): LoggedTurn {
  return {
    text: '',
    reward: requiredOrNull(step, 'reward', NUMBER),
    tokens: optional(step, 'ac_len', NUMBER),
    fields: omitColumns(step.columns, ['step_idx', 'reward', 'ac_len', 'episode_done']),
  };
}

function promptOf(step: LogRow): readonly Message[] | undefined {
  const prompt = isRecord(step.columns.trace) ? step.columns.trace.prompt : undefined;
  const messages = isRecord(prompt) && Array.isArray(prompt.messages) ? prompt.messages : undefined;
  return messages && readMessages(step, 'trace.prompt.messages', messages);
}

/** Metadata fields that identify the prompt of a trace, in order of precedence. TRL writes `group_id`. */
const GROUPS = ['group_id', 'prompt_id', 'example_id', 'task_id'];

/** Returns true if columns are those of a Trackio trace. */
export function isTraceRow(columns: Columns): boolean {
  return ['messages', 'metadata', 'trace_index', 'run_name'].every((name) => columns[name] !== undefined);
}

const TRACE_COLUMNS = [
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

/**
 * Reads a row of Trackio's traces. A row has `run_name`, `step`, `key`, `trace_index`, `messages` and `metadata`, the last
 * two as JSON texts. The rows are in the table `traces` of `PROJECT.db` (SQLite), in `PROJECT_traces.parquet` or in
 * `aux/traces.parquet`. TRL logs at most 16 rollouts per step under `rollouts`, with `reward`, `rewards/NAME`,
 * `advantage` and `group_id` in the metadata. A group is the traces with equal `group_id` (or `prompt_id`,
 * `example_id`, `task_id`), step, run and key. Without such an id, the messages before the first turn must be equal.
 * Source: gradio-app/trackio (2a02752), trackio/sqlite_storage.py, table `traces`, `_split_trace_metrics`,
 * `_normalize_trace_rows_for_parquet`; trackio/trace.py; huggingface/trl, trl/experimental/async_grpo, which logs
 * `trackio.Trace`.
 */
export function readTrackio(given: LogRow, report?: ImportCounts): LoggedRollout[] {
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
        ...omitColumns(columns, TRACE_COLUMNS),
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
