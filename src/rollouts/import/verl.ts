import type { ImportCounts } from './importCounts.ts';
import { conversation, splitOutput } from './messages.ts';
import { type LoggedRollout, type LoggedTurn, type Message, type RolloutKey, withFields } from './rollout.ts';
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

/** Reads a row of a rollout dump. A group is the rows of a step with equal prompt uid, or equal input without uid. */
export function readVerl(row: LogRow): LoggedRollout[] {
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

/**
 * Joins rows that are turns of one rollout. Some agent loops write one row per call of the policy, all with the uid of
 * the prompt. The input of a later row then begins with the input and output of the previous row.
 * @param name name of the group, for messages
 */
export function joinRows(rows: readonly LoggedRollout[], name: string, report: ImportCounts): readonly LoggedRollout[] {
  if (rows.every(({ prompt }) => prompt === rows[0].prompt)) return rows;
  const inputs = new Set(rows.map(({ prompt }) => prompt));
  const unfit = ({ prompt, output, session }: LoggedRollout) =>
    typeof prompt !== 'string' || output === undefined || session !== undefined;
  if (rows.some(unfit)) return rows;
  const after = new Map<number, number>();
  const before = new Map<number, number>();
  rows.forEach((_, index) => {
    const earlier = previousRow(rows, index, after);
    if (earlier === undefined) return;
    after.set(earlier, index);
    before.set(index, earlier);
  });
  const first = rows.flatMap((_, index) => (before.has(index) ? [] : [index]));
  if (new Set(first.map((index) => rows[index].prompt)).size > 1) {
    report.addNote(`rows of group ${name} have ${inputs.size} different inputs: each counts as a rollout of its input`);
    return rows;
  }
  report.note(
    'rollouts joined from rows that are turns (an input begins with the input and output of the row before)',
    first.length,
  );
  return first.map((start) => {
    const chain = [start];
    for (let next = after.get(start); next !== undefined; next = after.get(next)) chain.push(next);
    return joined(chain.map((index) => rows[index]));
  });
}

/**
 * Returns the index of the row that a row continues. Among the rows without a continuation whose text starts the input,
 * it has the longest text, and then the nearest position before the row.
 */
function previousRow(
  rows: readonly LoggedRollout[],
  index: number,
  after: ReadonlyMap<number, number>,
): number | undefined {
  const input = String(rows[index].prompt);
  const fits = rows.flatMap((row, at) => {
    const text = `${row.prompt}${row.output}`;
    return at !== index && !after.has(at) && input.startsWith(text) ? [{ at, length: text.length }] : [];
  });
  const longest = Math.max(...fits.map(({ length }) => length));
  const nearest = fits.filter(({ length }) => length === longest).map(({ at }) => at);
  return nearest.filter((at) => at < index).at(-1) ?? nearest[0];
}

function joined(rows: readonly LoggedRollout[]): LoggedRollout {
  const last = rows[rows.length - 1];
  const turns = rows.flatMap((row, index): readonly LoggedTurn[] => {
    if (row === last) return row.turns;
    const text = `${row.prompt}${row.output}`;
    const observation = answers(String(rows[index + 1].prompt).slice(text.length));
    return row.turns.map((turn, at) =>
      at < row.turns.length - 1 ? turn : withFields(turn, { observation, fields: { ...turn.fields, ...row.columns } }),
    );
  });
  return { ...last, prompt: rows[0].prompt, turns };
}

/** Parses the text between two turns as messages, without the header of the assistant. */
function answers(text: string): readonly Message[] {
  const match = /^\s*(user|tool|function|observation|environment)\n([\s\S]*?)\n*(?:assistant\n)?$/.exec(text);
  return match ? [{ role: match[1], content: match[2] }] : [{ role: 'environment', content: text }];
}
