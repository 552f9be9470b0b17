import { TOO_DEEP, tooDeep } from '../nesting.ts';
import type { ImportCounts } from './importCounts.ts';
import { ImportError } from './importError.ts';
import { readMessages } from './messages.ts';
import { parsePythonJson } from './pythonJson.ts';
import type { LogReader } from './reader.ts';
import type { LoggedRollout, LoggedTurn, Message } from './rollout.ts';
import {
  type Columns,
  isRecord,
  LIST,
  type LogRow,
  omitColumns,
  optional,
  partOf,
  RECORD,
  required,
  TEXT,
} from './row.ts';

/**
 * Format of SWE-agent's trajectories. A JSON file `INSTANCE.traj` is one run of an instance. It has `trajectory` (steps
 * with response, thought, action, observation, state, query), `history` and `info`. A retry loop has `attempts` with
 * these fields. The evaluation is a separate file, `results.json` with `resolved_ids`. A group is the runs and attempts
 * of one instance.
 * Source: SWE-agent/SWE-agent (3ea751c), sweagent/agent/agents.py, `get_trajectory_data` and `add_step_to_trajectory`;
 * sweagent/agent/reviewer.py, `ReviewerResult`; sweagent/run/compare_runs.py, `get_resolved`.
 */

/** Patterns of an exit status for a limit and for an error. A status can also be `submitted (...)`. */
const LIMITS = /exit_(cost|context|total_execution_time|command_timeout)/;
const FAILURES = /exit_(error|environment_error|api|format)/;

/** Returns true if columns are those of a trajectory. */
export function isTrajectory(columns: Columns): boolean {
  return Array.isArray(columns.attempts) || (Array.isArray(columns.trajectory) && isRecord(columns.info));
}

/**
 * Converts a trajectory file to one line of a log.
 * @param path path of the file, whose name is the name of the instance
 * @param results path and text of the run's `results.json`; undefined if it does not exist
 * @throws {ImportError} if a file is not JSON
 */
export function trajectoryLine(
  path: string,
  text: string,
  results: { path: string; text: string } | undefined,
): string {
  const content = parsed(path, text);
  const column = Object.keys(content).find((name) => tooDeep(content[name]));
  if (column !== undefined) throw new ImportError({ file: path, column }, TOO_DEEP);
  const instance = /([^\\/]*?)(\.traj)?(\.(gz|zst))?$/.exec(path)?.[1] ?? path;
  const resolved = results && resolvedOf(parsed(results.path, results.text), instance);
  return JSON.stringify({
    instance_id: instance,
    file: path,
    ...(resolved === undefined ? {} : { resolved }),
    ...content,
  });
}

function parsed(file: string, text: string): Columns {
  try {
    const { value } = parsePythonJson(text);
    if (isRecord(value)) return value;
  } catch (error) {
    throw new ImportError({ file }, `not JSON (${(error as Error).message})`);
  }
  throw new ImportError({ file }, 'not an object');
}

/** Returns true if an instance is resolved according to the evaluation; undefined if it was not evaluated. */
function resolvedOf(results: Columns, instance: string): boolean | undefined {
  const resolved = results.resolved_ids ?? results.resolved;
  if (!Array.isArray(resolved)) return undefined;
  if (resolved.includes(instance)) return true;
  return Array.isArray(results.submitted_ids) && !results.submitted_ids.includes(instance) ? undefined : false;
}

/** Reader of SWE-agent's trajectories, one file per row. */
export class TrajectoriesReader implements LogReader {
  constructor(private readonly report: ImportCounts) {}

  index(row: LogRow): LoggedRollout[] {
    return read(row, this.report);
  }

  rollouts(row: LogRow): LoggedRollout[] {
    return read(row);
  }
}

function read(given: LogRow, report?: ImportCounts): LoggedRollout[] {
  const { columns } = given;
  const file = optional(given, 'file', TEXT);
  const row = file === undefined ? given : partOf(given, '', columns, { file, line: undefined });
  const instance = optional(row, 'instance_id', TEXT) ?? file ?? 'trajectory';
  const attempts = optional(row, 'attempts', LIST);
  const runs = attempts?.map((attempt, index) => partOf(row, `attempts[${index}]`, attempt)) ?? [row];
  return runs.map((run, index) => {
    const info = required(run, 'info', RECORD);
    const { prompt, turns } = readSteps(run, report);
    const status = String(info.exit_status ?? '');
    const review = isRecord(info.review) ? Number(info.review.accept) : Number.NaN;
    const components = Number.isFinite(review) ? { review } : undefined;
    // The evaluation applies to the submitted attempt.
    const chosen = !attempts || columns.info === undefined || isChosen(columns.info, index);
    const solved = chosen && typeof columns.resolved === 'boolean' ? columns.resolved : undefined;
    return {
      ...row,
      ...{ key: JSON.stringify(instance), name: instance, prompt, turns },
      outcome: solved === undefined ? components?.review : Number(solved),
      ...{ solved, truncated: LIMITS.test(status), failed: FAILURES.test(status), components },
      promptColumns: { instance_id: instance },
      columns: {
        ...(attempts ? { attempt: index } : {}),
        ...(file === undefined ? {} : { file }),
        ...omitColumns(run.columns, [
          'instance_id',
          'file',
          'resolved',
          'trajectory',
          'history',
          'replay_config',
          'attempts',
        ]),
      },
    };
  });
}

function isChosen(info: unknown, index: number): boolean {
  return isRecord(info) && info.best_attempt_idx === index;
}

/** Returns the prompt and turns of a run. `query` of a step has all earlier messages, so only the first one is read. */
function readSteps(
  row: LogRow,
  report?: ImportCounts,
): { prompt: readonly Message[] | undefined; turns: LoggedTurn[] } {
  const steps = required(row, 'trajectory', LIST).map((step, index) =>
    partOf(row, `trajectory[${index}]`, step, { row: index + 1 }),
  );
  report?.note(
    'steps whose query repeats the messages before it, left out',
    steps.filter(({ columns }) => columns.query).length,
  );
  const query = steps[0] && optional(steps[0], 'query', LIST);
  const history = query ?? beforeFirstTurn(optional(row, 'history', LIST) ?? []);
  const turns = steps.map((step): LoggedTurn => {
    const action = (optional(step, 'action', TEXT) ?? '').trim();
    const observation = optional(step, 'observation', TEXT) ?? '';
    const { state, ...fields } = omitColumns(step.columns, ['response', 'action', 'observation', 'query']);
    return {
      text: required(step, 'response', TEXT),
      ...(observation === '' ? {} : { observation: [{ role: 'tool', content: observation }] }),
      fields: {
        ...fields,
        ...(action === '' ? {} : { calls: [action] }),
        ...(state === undefined ? {} : { shell: state }),
      },
    };
  });
  const isPrompt = history.length > 0 && history.every((message) => isRecord(message) && message.role !== undefined);
  return {
    prompt: isPrompt ? readMessages(row, query ? 'trajectory[0].query' : 'history', history) : undefined,
    turns,
  };
}

/** Returns the messages before the first message of the policy, without demonstrations. */
function beforeFirstTurn(history: readonly unknown[]): readonly unknown[] {
  const messages = history.filter((message) => !(isRecord(message) && message.is_demo === true));
  const first = messages.findIndex((message) => isRecord(message) && message.role === 'assistant');
  return first < 0 ? messages : messages.slice(0, first);
}
