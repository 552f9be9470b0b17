import type { ImportCounts } from './importCounts.ts';
import { readMessages } from './messages.ts';
import type { LogReader } from './reader.ts';
import type { LoggedRollout, LoggedTurn, Message } from './rollout.ts';
import {
  isRecord,
  LIST,
  type LogRow,
  NUMBER,
  omitColumns,
  optional,
  partOf,
  RECORD,
  required,
  requiredOrNull,
  TEXT,
} from './row.ts';

/**
 * Reader of tinker-cookbook's rollout summaries, `iteration_000012/train_rollout_summaries.jsonl`. A line is one
 * trajectory with `split`, `iteration`, `group_idx`, `traj_idx`, `total_reward`, `final_reward` (of the group) and
 * `steps`. A step has `reward`, `ac_len`, `stop_reason`, `metrics` and `logs`. `total_reward` is the sum of the step
 * rewards and `final_reward`. The summaries have no texts. A step has `trace.prompt.messages` if the environment
 * records them. A group is the trajectories of one `group_idx` in an iteration and a split.
 * Source: thinking-machines-lab/tinker-cookbook (9dfcc3a), tinker_cookbook/rl/rollout_logging.py,
 * `serialize_rollout_summaries`; tinker_cookbook/rl/types.py, `TrajectoryGroup.get_total_rewards`.
 */
export class TinkerReader implements LogReader {
  readonly outcome = 'total';

  constructor(private readonly report: ImportCounts) {}

  index(row: LogRow): LoggedRollout[] {
    return read(row, this.report);
  }

  rollouts(row: LogRow): LoggedRollout[] {
    return read(row);
  }
}

const READ_COLUMNS = [
  'iteration',
  'split',
  'group_idx',
  'tags',
  'total_reward',
  'steps',
  'trajectory_metrics',
  'schema_version',
];

function read(row: LogRow, report?: ImportCounts): LoggedRollout[] {
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
        ...omitColumns(columns, READ_COLUMNS),
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
