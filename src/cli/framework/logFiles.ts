import { existsSync, readdirSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { LogFile } from '../../rollouts/import/logFile.ts';
import { Interrupted, UsageError, unreadable } from './errors.ts';
import { show } from './policyFiles.ts';

const LOGS = /\.(jsonl|json|parquet)$/;
const ORDER = new Intl.Collator('en', { numeric: true });

/**
 * Returns the logs that operands name, with those of folders and the folders in them, numbers in names by value: 9 before 10.
 * @throws {UsageError} for a file that cannot be read twice, and a folder without a log
 */
export function logFiles(operands: readonly string[]): readonly string[] {
  return operands.flatMap((operand) => {
    if (!existsSync(operand)) throw new UsageError(`there is no file ${operand}`);
    const stats = statSync(operand);
    if (stats.isDirectory()) {
      const names = readdirSync(operand, { recursive: true, encoding: 'utf8' }).filter(
        (name) => LOGS.test(name) && statSync(join(operand, name), { throwIfNoEntry: false })?.isFile(),
      );
      if (names.length === 0) throw new UsageError(`${operand} holds no .jsonl, .json or .parquet file`);
      return names.sort(ORDER.compare).map((name) => join(operand, name));
    }
    if (stats.isFile()) return [operand];
    throw new UsageError(`${operand} is no plain file; a log is read twice, so it must be one`);
  });
}

/** Returns the training step in a path: `step_12` or `global_step_12` as a folder or in a name, `12.jsonl`, `completions_00012.parquet`. */
export function stepInPath(path: string): number | undefined {
  const name = /^(?:.*[_-])?(\d+)\.\w+$/.exec(basename(path));
  const folder = dirname(path)
    .split(/[\\/]/)
    .reverse()
    .flatMap((part) => /^(?:\w*_)?step[_-]?(\d+)$/i.exec(part)?.[1] ?? []);
  const inName = /step[_-]?(\d+)/i.exec(basename(path));
  const step = inName?.[1] ?? folder[0] ?? name?.[1];
  return step === undefined ? undefined : Number(step);
}

/** Opens a log for a while. @throws {UsageError} if it cannot be read */
export async function withLog(file: string, signal: AbortSignal, act: (log: LogFile) => Promise<void>): Promise<void> {
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
    await act({ name: show(file), byteLength: size, slice, step: stepInPath(file) });
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
