import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode, UsageError } from '../framework/errors.ts';

/** Process that writes a file. */
interface Holder {
  readonly pid: number;
  /**
   * Start time of the process in clock ticks of the kernel, because process ids repeat. Empty if the system has no
   * /proc.
   */
  readonly started: string;
  readonly host: string;
  readonly command: string;
  readonly since: string;
}

/** Maximum age of an empty lock that a process is still writing [ms]. An older empty lock is from a killed process. */
const WRITTEN_WITHIN = 10_000;
/** Attempts to acquire a lock that other processes acquire and release at the same time. */
const ATTEMPTS = 20;

/**
 * Acquires the lock of an output, so that two processes never write the same file. Replaces the lock of a process that
 * has ended.
 * @param lock path of the lock
 * @param file the output, for messages
 * @returns function that releases the lock
 * @throws {UsageError} with the process that has the lock
 */
export function acquireLock(lock: string, file: string): () => void {
  const { pid, argv } = process;
  const command = argv[2] ?? '';
  const since = new Date().toISOString();
  const holder = JSON.stringify({ pid, started: startOf(pid), host: hostname(), command, since });
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (create(lock, holder)) return () => read(lock) === holder && rmSync(lock, { force: true });
    const text = read(lock);
    if (text === undefined) continue;
    const writer = text === '' ? newLock(lock) : runningHolder(holderOf(text, lock));
    if (writer !== undefined) throw new UsageError(`${file} is being written by ${writer}`);
    removeLock(lock, text);
  }
  throw new UsageError(`${file} is being written by other processes (${lock} appears and disappears)`);
}

/** Creates a file, or returns false if it exists. Removes the file if the write fails. */
function create(path: string, text: string): boolean {
  let target: number;
  try {
    target = openSync(path, 'wx');
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFileSync(target, text);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(target);
  }
  return true;
}

/** Returns the writer of an empty lock, or undefined if the lock is old. */
function newLock(lock: string): string | undefined {
  const writtenAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - writtenAt > WRITTEN_WITHIN ? undefined : 'another process';
}

/** Returns the name of the process that has a lock, or undefined if the process has ended. */
function runningHolder(holder: Holder): string | undefined {
  if (!isRunning(holder)) return undefined;
  const where = holder.host === hostname() ? '' : ` on ${holder.host}`;
  return `another process (${holder.command} ${holder.pid}${where}, since ${holder.since})`;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Parses the text of a lock.
 * @throws {UsageError} if the text is not a lock
 */
function holderOf(text: string, lock: string): Holder {
  try {
    const holder = JSON.parse(text) as Holder;
    if (Number.isInteger(holder.pid) && typeof holder.host === 'string') return holder;
  } catch {
    // The throw below reports invalid JSON.
  }
  throw new UsageError(`${lock} exists and is not a lock of this program; remove it`);
}

/**
 * Returns true if a process is running. Also returns true for a process of another machine, which cannot be checked.
 */
function isRunning({ pid, started, host }: Holder): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
  const now = startOf(pid);
  return started === '' || now === '' || started === now;
}

/**
 * Returns the start time of a process: field 22 of its stat. The fields follow a name in parentheses, which can contain
 * any character.
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/** Removes a lock with this text. If another process has replaced the lock, restores that lock. */
function removeLock(lock: string, text: string): void {
  const renamed = `${lock}.${process.pid}`;
  try {
    renameSync(lock, renamed);
    if (read(renamed) !== text) linkSync(renamed, lock);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  } finally {
    rmSync(renamed, { force: true });
  }
}
