import type { Group } from '../../rollouts/forest.ts';
import { ImportCounts } from '../../rollouts/import/importCounts.ts';
import { contextOf, type ImportContext } from '../../rollouts/import/importLog.ts';
import type { LogPath } from '../../rollouts/import/logPaths.ts';
import { LOG_FORMATS, type LogFormat } from '../../rollouts/import/rollout.ts';
import { ImportError } from '../../rollouts/import/row.ts';
import { sqliteTable } from '../../rollouts/import/sqlite.ts';
import { readPair, type SignalOptions, type TagPair } from '../../rollouts/import/turnSignals.ts';
import { weightOf } from '../../rollouts/import/userFiles.ts';
import { writeGroups } from '../../rollouts/jsonLines.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT, Interrupted, UsageError } from '../framework/errors.ts';
import { choice, type Flag, type FlagValues, list, optional, text } from '../framework/flags.ts';
import { inputsOf, logFiles, readLogs, Scoring } from '../framework/logs.ts';
import { show } from '../framework/policyFiles.ts';
import type { Terminal } from '../framework/terminal.ts';
import { withOutputs } from '../output/outputs.ts';
import { openResult, type Result } from '../output/result.ts';

const CUT: Flag<readonly TagPair[] | undefined> = {
  ...(list('TAGS', '', (given) => given) as unknown as Flag<readonly TagPair[] | undefined>),
  help: "Tags that end a turn and begin the environment's answer, '</search>..<information>'; may be repeated. none turns cutting off. Without it, common pairs are detected.",
  fallback: undefined,
  add(before, given, name) {
    if (given === 'none') return [];
    const pair = readPair(given);
    if (!pair) throw new UsageError(`--${name}: "${given}" is not '</TAG>..<ANSWER>', or none`);
    return [...(before ?? []), pair];
  },
};

const REWARD = list(
  'NAME[=WEIGHT]',
  'A column with a reward function of TRL, and its weight in the total (default 1).',
  weight,
);

/** Flags of commands that read logs. */
export const LOG_FLAGS = {
  from: optional(
    choice('Format of the log. Without it, the columns of the first row decide.', LOG_FORMATS, LOG_FORMATS[0]),
  ),
  reward: REWARD,
  'turn-rewards': text(
    'COLUMN',
    'A column with a list of rewards: one for each turn, each turn but the last, or each tool call.',
  ),
  cut: CUT,
  outcome: optional(
    choice(
      'total: the reward of a rollout contains its turn rewards; apart: it does not. Without it, the sums of the rewards decide.',
      ['total', 'apart'] as const,
      'total',
    ),
  ),
};

/** Operands of a command that reads any number of logs. */
export const LOGS = { placeholder: 'FILE', least: 1, maximum: Number.MAX_SAFE_INTEGER };

/**
 * Returns the context of an import for these flags.
 * @throws {UsageError} for a flag that the format does not use
 */
export function importContext(flags: FlagValues<typeof LOG_FLAGS>, isScored = false): ImportContext {
  const { from, reward, cut, outcome } = flags;
  if (reward.length > 0 && from !== undefined && from !== 'trl')
    throw new UsageError(`--reward: only for logs of TRL, and --from is ${from}; leave --reward out`);
  const signals: SignalOptions = { turnRewards: flags['turn-rewards'], cut, outcome, isScored };
  const weights = reward.length > 0 ? new Map(reward) : undefined;
  return { ...contextOf(new ImportCounts()), sqlite: sqliteTable, weights, signals };
}

/** Command that converts logs of trainers into files of groups. */
export const importCommand = defineCommand({
  name: 'import',
  summary: 'convert rollout logs of trainers into groups of rollouts',
  description:
    'Reads the rollouts that a trainer logged (TRL: completions_*.parquet, or the same table as JSON Lines or JSON; ' +
    'verl: {step}.jsonl of rollout_data_dir; verifiers and prime-rl: results.jsonl, traces.jsonl; NeMo Gym: rollouts as JSON Lines; ' +
    'tau-bench: a JSON array of trials; SWE-agent: .traj files; tinker-cookbook: rollout summaries; Trackio: traces in SQLite or Parquet; all also as gzip or Zstandard) and writes them as ' +
    'JSON Lines, one group of rollouts per line, for the credit rules. A report on standard error counts what was read, retained ' +
    'and left out. After an error, no group is written. docs/use/import.md has the layouts.',
  flags: {
    ...LOG_FLAGS,
    score: text(
      'FILE',
      'A Python file with a function score(turn) that returns the reward, or a dictionary with reward, state and action of the turn. It runs in the sandbox.',
    ),
    out: text('FILE', 'Output file; the default is standard output.'),
  },
  operands: { ...LOGS, help: 'Logs and folders of logs, read in sequence. A group does not span files.' },
  parameters: [],
  examples: [
    '--out step-10.jsonl rollouts/10.jsonl',
    '--turn-rewards turn_scores --out run.jsonl rollouts',
    "--cut '</search>..<information>' --out run.jsonl rollouts",
    '--score ./score.py --out run.jsonl rollouts',
    '--from trl --reward accuracy --reward format=0.5 --out run.jsonl completions/*.parquet',
  ],
  async run({ flags, operands }, terminal) {
    const { from, score, out } = flags;
    const files = logFiles(operands);
    const context = importContext(flags, score !== undefined);
    const scoring = score === undefined ? undefined : new Scoring(score, flags.outcome === 'total');
    const inputs = [...inputsOf(files), ...(score === undefined ? [] : [{ file: score }])];
    return withOutputs(terminal, { out }, { inputs }, async (outputs) => {
      const result = openResult(terminal, outputs.out);
      try {
        await convert(files, from, context, result, terminal, scoring);
        if (terminal.signal.aborted) throw new Interrupted();
        await result.deliver();
      } finally {
        scoring?.close();
        result.discard();
      }
      for (const line of [...context.counts.lines(), ...(scoring?.lines() ?? [])]) terminal.err(`${line}\n`);
      if (out !== undefined) terminal.err(`written: ${show(out)}\n`);
      return EXIT.done;
    });
  },
});

async function convert(
  files: readonly LogPath[],
  from: LogFormat | undefined,
  context: ImportContext,
  result: Result,
  terminal: Terminal,
  scoring: Scoring | undefined,
): Promise<void> {
  const write = (groups: readonly Group[]) => result.write(writeGroups(groups));
  await readLogs(
    files,
    from,
    context,
    terminal,
    scoring ? (group) => scoring.add(group, write) : (group) => write([group]),
  );
  await scoring?.finish(write);
  if (context.counts.groups > 0) return;
  for (const line of context.counts.lines()) terminal.err(`${line}\n`);
  throw new ImportError({ file: files.map(({ path }) => path).join(', ') }, 'no group could be made');
}

/**
 * Parses a weight of a flag.
 * @throws {UsageError} for a text that is not a name with an optional weight
 */
function weight(given: string): readonly [string, number] {
  try {
    return weightOf(given);
  } catch (error) {
    throw error instanceof ImportError ? new UsageError(error.message) : error;
  }
}
