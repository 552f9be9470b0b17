import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

/**
 * Takes the lock of an output, so that two processes never write one file. The lock of a process that has ended is taken
 * over.
 * @param lock path of the lock
 * @param file the output, for messages
 * @returns releases the lock
 * @throws {UsageError} with the process that has the lock
 */
export function takeLock(lock: string, file: string): () => void {
  const { pid, argv } = process;
  const command = argv[2] ?? '';
  const holder = { pid, started: startOf(pid), host: hostname(), command, since: new Date().toISOString() };
  for (;;) {
    try {
      writeFileSync(lock, JSON.stringify(holder), { flag: 'wx' });
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
    const text = read(lock);
    if (text === undefined) continue;
    const found = holderOf(text, lock);
    if (isRunning(found)) {
      const where = found.host === hostname() ? '' : ` on ${found.host}`;
      const name = `${found.command} ${found.pid}${where}, since ${found.since}`;
      throw new UsageError(`${file} is being written by another process (${name})`);
    }
    removeLock(lock, text);
  }
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
  throw new UsageError(`${lock} is in the way: it is no lock of this program, or it is incomplete; remove it`);
}

/** True also for processes of other machines, about which this machine cannot know. */
function isRunning({ pid, started, host }: Holder): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
  return started === startOf(pid);
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
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    if (read(aside) !== text) linkSync(aside, lock);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
