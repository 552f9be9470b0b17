import { splitOutput } from './chatText.ts';
import { conversation } from './messages.ts';
import type { LogReader } from './reader.ts';
import type { LoggedRollout, RolloutKey } from './rollout.ts';
import { type LogRow, NUMBER, omitColumns, optional, pick, required, requiredOrNull, TEXT } from './row.ts';

/**
 * Format of verl's rollout dumps. `trainer.rollout_data_dir` (and `validation_data_dir`) has one file `{step}.jsonl`
 * per step, with input, output, gts (since v0.6), score, step and extra fields of the reward function.
 * Sources: verl-project/verl, verl/trainer/ppo/ray_trainer.py, `_write_generations` and `_log_rollout_data`;
 * verl/trainer/ppo/v1/trainer_base.py, the same names (v0.9.0).
 *
 * The newer trainer (ppo/v1) adds `uid` = `{uid of the prompt}_{session}_{index}`. A session is one rollout of the
 * prompt, and an index is one output of its agent loop (verl/trainer/ppo/v1/replay_buffer.py). All outputs of a session
 * have the score of the last output (agent_loop_tq.py), and only the last output counts in the baseline (v1/utils.py).
 * So the outputs of a session become one chain of turns.
 */

const SESSION = /^(.+)_(\d+)_(\d+)$/;
/** Columns that belong to the prompt: `reward_model.ground_truth` (`gts`), and common columns of data sets. */
const PROMPT_COLUMNS = ['gts', 'data_source', 'ability'];

/** Reader of verl's rollout dumps. A group is the rows of a step with equal prompt uid, or equal input without uid. */
export class VerlReader implements LogReader {
  /** Rollouts by row. Rows of small files are cached, so the second pass has the same row objects. */
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
 * Returns true if the answer was right according to `acc`, which reward functions return as a bool, 0 or 1. Returns
 * undefined for another value.
 */
function solvedOf(acc: unknown): boolean | undefined {
  if (acc === true || acc === 1) return true;
  return acc === false || acc === 0 ? false : undefined;
}
