import { TOO_DEEP, tooDeep } from '../jsonLines.ts';
import type { ImportCounts } from './importCounts.ts';
import { parsePythonJson } from './logFile.ts';
import { contentText, conversation, readMessages } from './messages.ts';
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
  wrongKind,
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

/** Reads a row of SWE-agent's trajectories: one file. */
export function readTrajectories(given: LogRow, report?: ImportCounts): LoggedRollout[] {
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

/**
 * Reads a row of NeMo Gym's rollouts in the format of OpenAI's Responses API. A line has
 * `responses_create_params.input` (a text or items), `response.output` (items), `reward`, `_ng_task_index`, `_ng_rollout_index`, and the fields that the
 * resource server adds. Items are messages, reasoning, `function_call` and `function_call_output`. The items of the
 * model between two responses of the environment are one turn.
 * Source: NVIDIA-NeMo/Gym, nemo_gym/rollout_collection.py (`RolloutCollectionHelper`), nemo_gym/openai_utils.py.
 */
export function readResponses(row: LogRow): LoggedRollout[] {
  const parameters = required(row, 'responses_create_params', RECORD);
  const output = optional({ ...row, columns: required(row, 'response', RECORD) }, 'output', LIST) ?? [];
  const { input } = parameters;
  const prompt = typeof input === 'string' ? input : messagesOf(Array.isArray(input) ? input : []);
  const { before, turns } = conversation(messagesOf(output));
  const task = optional(row, '_ng_task_index', NUMBER);
  return [
    {
      key: JSON.stringify([task ?? prompt, row.columns.agent_ref ?? null]),
      ...(task === undefined ? {} : { name: `task-${task}` }),
      location: row.location,
      prompt: before.length > 0 && Array.isArray(prompt) ? [...prompt, ...before] : prompt,
      turns,
      outcome: requiredOrNull(row, 'reward', NUMBER),
      truncated: row.columns.truncated === true,
      promptColumns: { ...('agent_ref' in row.columns ? { agent_ref: row.columns.agent_ref } : {}) },
      columns: omitColumns(row.columns, ['responses_create_params', 'response', 'reward', 'agent_ref', 'truncated']),
    },
  ];
}

/** Converts items of the Responses API to chat messages. Consecutive items of the model become one message. */
function messagesOf(items: readonly unknown[]): Message[] {
  const messages: Message[] = [];
  let open: { texts: string[]; calls: unknown[] } | undefined;
  const close = () => {
    if (!open) return;
    const { texts, calls } = open;
    messages.push({ role: 'assistant', content: texts.join('\n'), ...(calls.length > 0 ? { tool_calls: calls } : {}) });
    open = undefined;
  };
  const model = () => {
    open ??= { texts: [], calls: [] };
    return open;
  };
  for (const item of items.filter(isRecord)) {
    const { type = 'message', role } = item;
    if (type === 'function_call') model().calls.push({ name: item.name, arguments: item.arguments });
    else if (type === 'reasoning') model();
    else if (type === 'function_call_output') {
      close();
      messages.push({ role: 'tool', content: item.output });
    } else if (role === 'assistant') {
      // Two consecutive messages of the model are two turns.
      if (open && open.texts.length > 0) close();
      model().texts.push(contentText(item.content));
    } else {
      close();
      messages.push({ role: typeof role === 'string' ? role : 'environment', content: contentText(item.content) });
    }
  }
  close();
  return messages;
}

/**
 * Reads a row of tau-bench's results: a JSON array of trials with `task_id`, `trial`, `reward`, `info` and `traj` (chat
 * messages with tool calls). A group is the trials of one task.
 * Source: sierra-research/tau-bench, tau_bench/types.py, `EnvRunResult`; tau_bench/run.py, which writes the list with
 * `json.dump`.
 */
export function readTrials(row: LogRow): LoggedRollout[] {
  const { task_id: task } = row.columns;
  if (typeof task !== 'number' && typeof task !== 'string')
    throw wrongKind(row, 'task_id', task, 'a number or a string');
  const { before, turns } = conversation(readMessages(row, 'traj', required(row, 'traj', LIST)));
  return [
    {
      key: JSON.stringify(task),
      name: `task-${task}`,
      location: row.location,
      prompt: before,
      turns,
      outcome: requiredOrNull(row, 'reward', NUMBER),
      promptColumns: pick(row.columns, ['task_id']),
      columns: omitColumns(row.columns, ['task_id', 'traj', 'reward']),
    },
  ];
}
