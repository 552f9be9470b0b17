import type { ImportCounts } from './importCounts.ts';
import { contentText, conversation, readMessages } from './messages.ts';
import type { LoggedRollout, LoggedTurn, Message, Prompt, RolloutKey } from './rollout.ts';
import {
  isRecord,
  LIST,
  type LogRow,
  NUMBER,
  numbersOf,
  omitColumns,
  optional,
  parseCount,
  pick,
  RECORD,
  requiredOrNull,
  wrongKind,
} from './row.ts';
import { isTrace, readTraces } from './traces.ts';

/**
 * Format of verifiers' `results.jsonl` (`vf-eval --save-results`, up to the legacy API of v0.3) and prime-rl's
 * `train_rollouts.jsonl` of spring 2026. A line is one rollout with example_id, prompt, completion (messages or text),
 * reward and metrics. Optional columns are answer, info, task, error, token_usage, tool_defs and trajectory.
 * Sources: PrimeIntellect-ai/verifiers, verifiers/legacy/utils/save_utils.py, `state_to_output`;
 * verifiers/legacy/types.py, `RolloutOutput`, `TrajectoryStep`; willccbb/verifiers, verifiers/envs/environment.py,
 * `make_dataset` (v0.1.5: no example_id, no metrics column).
 */

const PROMPT_COLUMNS = ['example_id', 'task', 'answer', 'info', 'tool_defs'];

/** Reads a row of verifiers or prime-rl: a row of results.jsonl, or of traces.jsonl (traces.ts). */
export function readVerifiers(row: LogRow, counts?: ImportCounts): LoggedRollout[] {
  return isTrace(row) ? readTraces(row, counts) : [readResult(row, counts)];
}

/** Reads the rollout of a row. A group is the rows with equal task and example_id, or else with equal prompt. */
function readResult(row: LogRow, counts?: ImportCounts): LoggedRollout {
  const { columns } = row;
  const { before, turns } = readCompletion(row);
  const prompt = readPrompt(row);
  const outcome = requiredOrNull(row, 'reward', NUMBER);
  const metrics = optional(row, 'metrics', RECORD) ?? {};
  // Each metric is also a separate column of the row.
  const again = Object.keys(metrics).filter((name) => columns[name] === metrics[name]);
  const steps = readSteps(row, prompt, before, turns, outcome);
  if (columns.trajectory && !steps)
    counts?.note('trajectories with other turns than their completion, kept but not used');
  if (columns.error !== undefined && columns.error !== null)
    counts?.note('rollouts that ended in an error (field "error")');
  return {
    ...keyOf(row),
    location: row.location,
    prompt: before.length > 0 && Array.isArray(prompt) ? [...prompt, ...before] : prompt,
    turns: steps ?? withUsage(turns, columns.token_usage),
    output: typeof columns.completion === 'string' ? columns.completion : undefined,
    outcome,
    truncated: columns.is_truncated === true,
    failed: columns.error !== undefined && columns.error !== null,
    components: numbersOf(metrics),
    promptColumns: pick(columns, PROMPT_COLUMNS),
    columns: omitColumns(columns, [
      ...['prompt', 'completion', 'reward', 'metrics', ...PROMPT_COLUMNS, ...again],
      ...(steps ? ['trajectory'] : []),
    ]),
  };
}

function keyOf(row: LogRow): RolloutKey {
  const { example_id: example, task } = row.columns;
  if (example === undefined) return { key: JSON.stringify(['prompt', task ?? null, readPrompt(row)]) };
  if (typeof example !== 'number' && typeof example !== 'string') {
    throw wrongKind(row, 'example_id', example, 'a number or a string');
  }
  const name = typeof task === 'string' ? `${task}-example-${example}` : `example-${example}`;
  return { key: JSON.stringify(['example', task ?? null, example]), name };
}

function readPrompt(row: LogRow): Prompt | undefined {
  const { prompt } = row.columns;
  if (prompt === null || typeof prompt === 'string') return prompt ?? undefined;
  if (Array.isArray(prompt)) return readMessages(row, 'prompt', prompt);
  requiredOrNull(row, 'prompt', LIST);
  return undefined;
}

function readCompletion(row: LogRow): { before: readonly Message[]; turns: readonly LoggedTurn[] } {
  const { completion } = row.columns;
  if (typeof completion === 'string') return { before: [], turns: [{ text: completion, fields: {} }] };
  return conversation(readMessages(row, 'completion', requiredOrNull(row, 'completion', LIST) ?? []));
}

/** Adds the token count of a rollout to its turn if it has only one turn. */
function withUsage(turns: readonly LoggedTurn[], usage: unknown): readonly LoggedTurn[] {
  const tokens = isRecord(usage) ? parseCount(usage.output_tokens) : undefined;
  return turns.length === 1 && tokens !== undefined ? [{ ...turns[0], tokens }] : turns;
}

/**
 * Returns the turns with the data of the trajectory's steps (`--state-columns trajectory`): reward, tokens, advantage.
 * Returns undefined if the numbers of steps and turns differ.
 *
 * Rewards of steps are turn rewards unless all of them equal the reward of the rollout: `score_group`
 * (verifiers/legacy/rubrics/rubric.py) writes the reward of the rollout to all steps without a reward. The messages of
 * a step are left out if the prompt and completion of the rollout contain them.
 */
function readSteps(
  row: LogRow,
  prompt: Prompt | undefined,
  before: readonly Message[],
  turns: readonly LoggedTurn[],
  outcome: number | undefined,
): readonly LoggedTurn[] | undefined {
  const steps = optional(row, 'trajectory', LIST);
  if (!steps || steps.length !== turns.length) return undefined;
  const records = steps.map((step, index) => {
    if (isRecord(step)) return step;
    throw wrongKind(row, `trajectory[${index}]`, step, 'an object');
  });
  const rewards = records.map(({ reward }, index) => {
    if (reward === null || reward === undefined) return undefined;
    if (NUMBER.fits(reward)) return reward;
    throw wrongKind(row, `trajectory[${index}].reward`, reward, 'a number or null');
  });
  const hasTurnRewards = rewards.some((reward) => reward !== undefined && reward !== outcome);
  const previous = [...(Array.isArray(prompt) ? prompt : []), ...before];
  return turns.map((turn, index) => {
    const { prompt: turnPrompt, completion, reward: _, tokens, ...rest } = records[index];
    const restated =
      matchesMessages(turnPrompt, previous) && matchesMessages(completion, [{ role: 'assistant', content: turn.text }]);
    previous.push({ role: 'assistant', content: turn.text }, ...(turn.observation ?? []));
    const fields = Object.fromEntries(
      Object.entries({ ...rest, tokens }).filter(([, value]) => value !== null && value !== undefined),
    );
    return {
      ...turn,
      reward: hasTurnRewards ? rewards[index] : undefined,
      tokens: isRecord(tokens) && Array.isArray(tokens.completion_ids) ? tokens.completion_ids.length : undefined,
      fields: { ...turn.fields, ...fields, ...(restated ? {} : { step: { prompt: turnPrompt, completion } }) },
    };
  });
}

/** Returns true if messages have the expected roles and texts. Tool calls have two notations and are not compared. */
function matchesMessages(messages: unknown, expected: readonly Message[]): boolean {
  if (!Array.isArray(messages) || messages.length !== expected.length) return false;
  return messages.every((message: unknown, index) => {
    const { role, content } = expected[index];
    return isRecord(message) && message.role === role && contentText(message.content) === contentText(content);
  });
}
