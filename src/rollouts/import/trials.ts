import { conversation, readMessages } from './messages.ts';
import type { LogReader } from './reader.ts';
import type { LoggedRollout } from './rollout.ts';
import { LIST, type LogRow, NUMBER, omitColumns, pick, required, requiredOrNull, wrongKind } from './row.ts';

/**
 * Reader of tau-bench's results: a JSON array of trials with `task_id`, `trial`, `reward`, `info` and `traj` (chat
 * messages with tool calls). A group is the trials of one task.
 * Source: sierra-research/tau-bench, tau_bench/types.py, `EnvRunResult`; tau_bench/run.py, which writes the list with
 * `json.dump`.
 */
export class TrialsReader implements LogReader {
  index(row: LogRow): LoggedRollout[] {
    return this.rollouts(row);
  }

  rollouts(row: LogRow): LoggedRollout[] {
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
}
