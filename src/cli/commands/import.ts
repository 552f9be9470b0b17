import { existsSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ImportError } from '../../rollouts/import/importError.ts';
import { type ImportContext, importLog, LOG_FORMATS, type LogFormat } from '../../rollouts/import/importLog.ts';
import { ImportTally } from '../../rollouts/import/importTally.ts';
import type { LogFile } from '../../rollouts/import/logFile.ts';
import { writeGroups } from '../../rollouts/jsonLines.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT, Interrupted, UsageError, unreadable } from '../framework/errors.ts';
import { choice, type Flag, list, text } from '../framework/flags.ts';
import { show } from '../framework/policyFiles.ts';
import type { Terminal } from '../framework/terminal.ts';
import { withOutputs } from '../output/outputs.ts';
import { openResult, type Result } from '../output/spool.ts';
import { TurnTaking } from '../output/turnTaking.ts';

/** A choice that must be made. */
const FROM: Flag<LogFormat | undefined> = {
  ...choice('The trainer that wrote the log.', LOG_FORMATS, 'trl'),
  fallback: undefined,
};

const REWARD = list(
  'NAME[=WEIGHT]',
  'A column with a reward function of TRL, and its weight in the total (1).',
  weight,
);

/** Turns logs of trainers into files of groups. */
export const importCommand = defineCommand({
  name: 'import',
  summary: 'turn rollout logs of TRL, verl or verifiers into groups of turns',
  description:
    'Reads the rollouts that a trainer logged (TRL: completions_*.parquet, or the same table as JSON Lines or JSON; ' +
    'verl: {step}.jsonl of rollout_data_dir; verifiers and prime-rl: results.jsonl, traces.jsonl) and writes them as ' +
    'JSON Lines, one group of rollouts a line, for the credit rules. What was read and kept is told on standard error; ' +
    'nothing is written where anything is wrong. docs/import.md has the layouts.',
  flags: {
    from: FROM,
    out: text('FILE', 'Where the groups go; without it, to standard output.'),
    reward: REWARD,
  },
  operands: {
    placeholder: 'FILE',
    help: 'Logs, read one after the other; a group does not reach over files.',
    least: 1,
    most: Number.MAX_SAFE_INTEGER,
  },
  parameters: [],
  examples: [
    '--from verl --out step-10.jsonl rollouts/10.jsonl',
    '--from trl --reward accuracy --reward format=0.5 --out run.jsonl completions/*.parquet',
  ],
  async run({ flags, operands }, terminal) {
    const { from, out, reward } = flags;
    if (from === undefined) throw new UsageError(`--from is missing: ${FROM.allowed}`);
    if (reward.length > 0 && from !== 'trl') throw new UsageError(`--reward: only logs of TRL need it, not ${from}'s`);
    for (const file of operands) checkInput(file);
    const weights = reward.length > 0 ? new Map(reward) : undefined;
    const context: ImportContext = { tally: new ImportTally(), ids: new Set(), weights };
    return withOutputs(terminal, { out }, {}, async (outputs) => {
      const result = openResult(terminal, outputs.out);
      try {
        await convert(operands, from, context, result, terminal);
        if (terminal.signal.aborted) throw new Interrupted();
        await result.deliver();
      } finally {
        result.discard();
      }
      for (const line of context.tally.lines()) terminal.err(`${line}\n`);
      if (out !== undefined) terminal.err(`written: ${show(out)}\n`);
      return EXIT.done;
    });
  },
});

async function convert(
  files: readonly string[],
  from: LogFormat,
  context: ImportContext,
  result: Result,
  terminal: Terminal,
): Promise<void> {
  const turns = new TurnTaking(terminal.signal);
  for (const file of files) {
    await withLog(file, terminal.signal, async (log) => {
      for await (const group of importLog(log, from, context)) {
        await turns.pause();
        result.write(writeGroups([group]));
      }
    }).catch(withRemedy);
  }
  if (context.tally.groups > 0) return;
  for (const line of context.tally.lines()) terminal.err(`${line}\n`);
  throw new ImportError({ file: files.join(', ') }, 'no group could be made');
}

/** Adds the flag that helps to the one error that a flag can help. */
function withRemedy(error: unknown): never {
  if (!(error instanceof ImportError) || error.place.column !== 'advantage') throw error;
  throw new ImportError(
    error.place,
    `${error.problem} Say it with --reward NAME or --reward NAME=WEIGHT, once for each`,
  );
}

/** Opens a file for a while. */
async function withLog(file: string, signal: AbortSignal, act: (log: LogFile) => Promise<void>): Promise<void> {
  const refuse = (error: unknown): never => {
    throw unreadable(show(file), error);
  };
  const handle = await open(file).catch(refuse);
  try {
    const { size } = await handle.stat();
    const slice = (start: number, end = size) => {
      // Checking a large file takes minutes, in which nothing else looks at the signal.
      if (signal.aborted) throw new Interrupted();
      return readBytes(handle, start, end).catch(refuse);
    };
    await act({ name: show(file), byteLength: size, slice });
  } finally {
    await handle.close();
  }
}

async function readBytes(handle: FileHandle, start: number, end: number): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(end - start);
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, at, bytes.length - at, start + at);
    if (bytesRead === 0) throw new Error('the file became shorter while it was read');
    at += bytesRead;
  }
  return bytes.buffer;
}

/** @throws {UsageError} for a file that cannot be read twice */
function checkInput(file: string): void {
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`);
  if (!statSync(file).isFile())
    throw new UsageError(`${file} is no plain file; a log is read twice, so it must be one`);
}

/** "NAME" or "NAME=WEIGHT"; a name may hold equals signs of its own before the last. */
function weight(given: string): readonly [string, number] {
  const match = /^(.+)=([^=]*)$/.exec(given);
  if (!match) return [given, 1];
  const value = match[2].trim() === '' ? Number.NaN : Number(match[2]);
  if (Number.isFinite(value)) return [match[1], value];
  throw new UsageError(`the weight "${match[2]}" is not a number`);
}
