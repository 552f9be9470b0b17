import { splitOutput } from './chatText.ts';
import { conversation } from './messages.ts';
import type { LogReader } from './reader.ts';
import type { LoggedRollout, RolloutKey } from './rollout.ts';
import { type LogRow, NUMBER, omitColumns, optional, pick, required, requiredOrNull, TEXT } from './row.ts';

/**
 * verl's rollout dumps: `trainer.rollout_data_dir` (and `validation_data_dir`) gets a file `{step}.jsonl` a step, with
 * input, output, gts (since v0.6), score, step and whatever extra information the reward function returned.
 * Sources: verl-project/verl, verl/trainer/ppo/ray_trainer.py, `_write_generations` and `_log_rollout_data`;
 * verl/trainer/ppo/v1/trainer_base.py, the same names (v0.9.0).
 *
 * The newer trainer (ppo/v1) adds `uid` = `{prompt's uid}_{session}_{index}`, a session being one of the rollouts of a
 * prompt and index one of the outputs of its agent loop: verl/trainer/ppo/v1/replay_buffer.py. All outputs of a session
 * carry the score of its last one (agent_loop_tq.py), and only that one counts in the baseline (v1/utils.py), so the
 * outputs of a session become one chain of turns here.
 */

const SESSION = /^(.+)_(\d+)_(\d+)$/;
/** Columns that belong to the prompt: `reward_model.ground_truth`, and what data sets commonly carry. */
const PROMPT_COLUMNS = ['gts', 'data_source', 'ability'];

/** Reads verl's rollout dumps. Groups: the rows of a step with the same prompt uid, or the same input without one. */
export class VerlReader implements LogReader {
  /** Rollouts of rows. Rows of small files stay in memory, and the second pass gets the same objects. */
  private readonly known = new WeakMap<LogRow, LoggedRollout[]>();

  index(row: LogRow): LoggedRollout[] {
    const rollouts = this.read(row);
    this.known.set(row, rollouts);
    return rollouts;
  }

  rollouts(row: LogRow): LoggedRollout[] {
    return this.known.get(row) ?? this.read(row);
  }

  private read(row: LogRow): LoggedRollout[] {
    const prompt = required(row, 'input', TEXT);
    const output = required(row, 'output', TEXT);
    const uid = optional(row, 'uid', TEXT);
    const session = uid === undefined ? null : SESSION.exec(uid);
    const { key, step, name } = keyOf(row);
    return [
      {
        key,
        step,
        name,
        location: row.location,
        prompt,
        turns: conversation(splitOutput(prompt, output)).turns,
        output,
        outcome: requiredOrNull(row, 'score', NUMBER),
        solved: solvedOf(row.columns.acc),
        promptColumns: pick(row.columns, PROMPT_COLUMNS),
        columns: omitColumns(row.columns, ['input', 'output', 'score', 'step', ...PROMPT_COLUMNS]),
        session: session?.[2],
        part: session ? Number(session[3]) : undefined,
      },
    ];
  }
}

function keyOf(row: LogRow): RolloutKey {
  const step = optional(row, 'step', NUMBER);
  const uid = optional(row, 'uid', TEXT);
  const input = required(row, 'input', TEXT);
  if (uid === undefined) return { key: JSON.stringify([step, 'input', input]), step };
  const name = SESSION.exec(uid)?.[1] ?? uid;
  return { key: JSON.stringify([step, 'uid', name]), step, name };
}

/**
 * `acc` says whether the answer was right; reward functions return it as a bool or as 0 or 1. Anything between says
 * neither.
 */
function solvedOf(acc: unknown): boolean | undefined {
  if (acc === true || acc === 1) return true;
  return acc === false || acc === 0 ? false : undefined;
}
