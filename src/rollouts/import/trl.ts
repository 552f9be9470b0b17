import { square } from '../../numbers/exponential.ts';
import type { ImportCounts } from './importCounts.ts';
import type { RowSource } from './logFile.ts';
import { contentText, conversation, readMessages, splitOutput } from './messages.ts';
import type { LoggedRollout, LoggedTurn, LogReader, Message, Prompt, RewardWeights, RolloutKey } from './rollout.ts';
import { ImportError, type LogRow, omitColumns, optional, required, TEXT, wrongKind } from './row.ts';

/**
 * Format of TRL's completions table. `GRPOConfig(log_completions=True)` writes `completions/completions_00010.parquet`
 * at each logged step, with the columns step, prompt, completion, one column per reward function, columns of
 * `log_extra`, and advantage.
 * Source: huggingface/trl, trl/trainer/grpo_trainer.py, `GRPOTrainer.log` (v1.9.0).
 *
 * The table lacks the total reward, which is the weighted sum of the reward columns. A null (a function that returned
 * None) is skipped: same file, `_generate_and_score_completions`, "sum_then_normalize".
 */

/** Tolerance for normalized float32 advantages that should equal normalized rewards. */
const AGREES = 1e-3;

/** Reader of TRL's completions table. A group is the rows of a step with the same prompt. */
export class TrlReader implements LogReader {
  /**
   * Columns between "completion" and "advantage" with numbers, in the order of the table, and those with other data. A
   * reward column is only in the first set.
   */
  private readonly numbers = new Set<string>();
  private readonly notNumbers = new Set<string>();
  private rewards: { readonly name: string; readonly weight: number }[] = [];
  private comparable = 0;
  private disagreeing = 0;

  constructor(
    private readonly source: RowSource,
    private readonly counts: ImportCounts,
    private readonly weights: RewardWeights | undefined,
  ) {}

  index(row: LogRow): (RolloutKey & Partial<LoggedRollout>)[] {
    this.sortColumns(row);
    const { turns } = readCompletion(row, readPrompt(row));
    return [
      { ...keyOf(row), location: row.location, turns, output: outputOf(row), columns: omitColumns(row.columns, KEYS) },
    ];
  }

  settle(): void {
    const { weights } = this;
    const rewardColumns = [...this.numbers].filter((name) => !this.notNumbers.has(name));
    if (!weights) {
      if (rewardColumns.length === 0)
        throw new ImportError({}, 'no column between "completion" and "advantage" holds rewards');
      this.rewards = rewardColumns.map((name) => ({ name, weight: 1 }));
      return;
    }
    for (const name of weights.keys()) {
      if (rewardColumns.includes(name)) continue;
      const list = rewardColumns.length > 0 ? `; those are ${rewardColumns.join(', ')}` : '';
      throw new ImportError({ column: name }, `no column of numbers between "completion" and "advantage"${list}`);
    }
    this.rewards = [...weights].map(([name, weight]) => ({ name, weight }));
  }

  rollouts(row: LogRow): LoggedRollout[] {
    const prompt = readPrompt(row);
    const { before, turns } = readCompletion(row, prompt);
    const scored = this.rewards.filter(({ name }) => typeof row.columns[name] === 'number');
    const values = scored.map(({ name, weight }) => [name, weight * (row.columns[name] as number)] as const);
    return [
      {
        location: row.location,
        ...keyOf(row),
        prompt: before.length > 0 && Array.isArray(prompt) ? [...prompt, ...before] : prompt,
        turns: withAdvantages(turns, row.columns.turn_advantages),
        output: outputOf(row),
        outcome: values.length > 0 ? values.reduce((sum, [, value]) => sum + value, 0) : undefined,
        components: Object.fromEntries(values),
        promptColumns: {},
        columns: omitColumns(row.columns, [...KEYS, ...scored.map(({ name }) => name)]),
      },
    ];
  }

  /**
   * Checks that the logged advantages of a group are a positive multiple of its centred total rewards. Otherwise the
   * sum has wrong columns or weights.
   */
  inspect(rollouts: readonly LoggedRollout[]): void {
    // Turn advantages do not depend on the rewards of rollouts alone.
    const scored = rollouts.filter(({ outcome, columns }) => outcome !== undefined && !columns.turn_advantages);
    const advantages = scored.map(({ columns }) => columns.advantage);
    if (scored.length < 2 || !advantages.every((value) => typeof value === 'number')) return;
    this.comparable++;
    const rewards = centred(scored.map(({ outcome = 0 }) => outcome));
    if (!follow(centred(advantages), rewards)) this.disagreeing++;
  }

  finish(): void {
    const sum = this.rewards.map(({ name, weight }) => (weight === 1 ? name : `${weight} ${name}`)).join(' + ');
    this.counts.addNote(`reward = ${sum}`);
    if (this.disagreeing === 0) return;
    const where = `in ${this.disagreeing} of ${this.comparable} groups the logged advantages do not follow from ${sum}`;
    // Two groups with the same prompt in a step count as one and do not match. A wrong sum affects most groups.
    if (this.weights === undefined && this.disagreeing > this.comparable / 2) {
      throw new ImportError({ column: 'advantage' }, `${where}: which columns are rewards, with which weights?`);
    }
    this.counts.addNote(where);
  }

  private sortColumns({ columns }: LogRow): void {
    const names = Object.keys(columns);
    const last = names.indexOf('advantage');
    const between = names.slice(names.indexOf('completion') + 1, last < 0 ? undefined : last);
    for (const name of between.filter((column) => column !== 'step' && column !== 'prompt')) {
      const value = columns[name];
      // Reward columns are float64 in Parquet. Integer columns are user columns of `log_extra`.
      if (typeof value === 'number' && (this.source.floats?.has(name) ?? true)) this.numbers.add(name);
      else if (value !== null) this.notNumbers.add(name);
    }
  }
}

const KEYS = ['step', 'prompt', 'completion'];

function outputOf({ columns }: LogRow): string | undefined {
  return typeof columns.completion === 'string' ? columns.completion : undefined;
}

function keyOf(row: LogRow): RolloutKey {
  const step = stepOf(row);
  return { key: JSON.stringify([step, readPrompt(row)]), step };
}

/** Returns the turns with their advantages, which TurnwiseGRPOTrainer logs as a list (python/turnwise_rl/trl.py). */
function withAdvantages(turns: readonly LoggedTurn[], advantages: unknown): readonly LoggedTurn[] {
  if (!Array.isArray(advantages) || advantages.length !== turns.length) return turns;
  return turns.map((turn, at) => ({ ...turn, fields: { ...turn.fields, advantage: advantages[at] } }));
}

/** Returns the step of a row. Older tables of TRL store it as text. */
function stepOf(row: LogRow): number | undefined {
  const { step } = row.columns;
  if (step === undefined || step === null) return undefined;
  if (typeof step === 'number' || (typeof step === 'string' && /^\d+$/.test(step))) return Number(step);
  throw wrongKind(row, 'step', step, 'a number');
}

function readPrompt(row: LogRow): Prompt {
  const { prompt } = row.columns;
  return Array.isArray(prompt) ? readMessages(row, 'prompt', prompt) : required(row, 'prompt', TEXT);
}

/** Reads the completion: messages, or decoded text of the conversation. */
function readCompletion(row: LogRow, prompt: Prompt): { before: readonly Message[]; turns: readonly LoggedTurn[] } {
  const { completion } = row.columns;
  if (Array.isArray(completion)) return conversation(readMessages(row, 'completion', completion));
  const text = optional(row, 'completion', TEXT) ?? required(row, 'completion', TEXT);
  const promptText = typeof prompt === 'string' ? prompt : contentText(prompt.at(-1)?.content);
  return conversation(splitOutput(promptText, text));
}

function centred(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

/**
 * Returns true if advantages are a positive multiple of centred rewards, as for each value of TRL's `scale_rewards`.
 * Rewards that differ only in their last bits can have advantages up to 1e-5 / 1e-4 (epsilon of TRL).
 */
function follow(advantages: readonly number[], rewards: readonly number[]): boolean {
  const [a, r] = [lengthOf(advantages), lengthOf(rewards)];
  if (r < 1e-5) return a < 0.1;
  if (a < AGREES) return r < AGREES;
  return advantages.every((value, index) => Math.abs(value / a - rewards[index] / r) < AGREES);
}

function lengthOf(numbers: readonly number[]): number {
  return Math.sqrt(numbers.reduce((sum, number) => sum + square(number), 0));
}
