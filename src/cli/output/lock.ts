import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode, UsageError } from '../framework/errors.ts';

/** The process that writes a file. */
interface Holder {
  readonly pid: number;
  /** Start of the process by the kernel's count, since numbers of processes repeat; empty if the system has none. */
  readonly started: string;
  readonly host: string;
  readonly command: string;
  readonly since: string;
}

/** Milliseconds within which a process writes its new lock. An older empty lock is left by a process that was killed. */
const WRITTEN_WITHIN = 10_000;
/** Attempts to take a lock that other processes take and release meanwhile. */
const ATTEMPTS = 20;

/**
 * Takes the lock of an output, so that two processes never write one file. The lock of a process that has ended is taken
 * over.
 * @param lock path of the lock
 * @param file the output, for messages
 * @returns releases the lock
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

/** Makes the file; false if it exists. A file that cannot be written leaves nothing. */
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

/** The writer of an empty lock; undefined if the lock is old. */
function newLock(lock: string): string | undefined {
  const writtenAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - writtenAt > WRITTEN_WITHIN ? undefined : 'another process';
}

/** The name of the process that has a lock; undefined if it has ended. */
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

/** @throws {UsageError} if the text is no lock */
function holderOf(text: string, lock: string): Holder {
  try {
    const holder = JSON.parse(text) as Holder;
    if (Number.isInteger(holder.pid) && typeof holder.host === 'string') return holder;
  } catch {
    // Refused below.
  }
  throw new UsageError(`${lock} exists and is not a lock of this program; remove it`);
}

/** True also for processes of other machines, about which this machine cannot know. */
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

/** Field 22 of the process's stat, after a name that may contain anything. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/** Removes a lock with this text; another process may have replaced it meanwhile, and keeps its lock. */
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
