import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode, UsageError } from '../framework/errors.ts';
import { writeAll } from './writeAll.ts';

/** Who writes a file. */
interface Holder {
  readonly turnwise: 'lock';
  readonly pid: number;
  /** Tells a process from a later one with its number; empty where the system does not say. */
  readonly started: string;
  readonly host: string;
  readonly command: string;
  readonly since: string;
}

/** An empty lock that is younger is being written; an older one was left by a process that ended just then. */
const WRITTEN_WITHIN = 10_000;
/** Others may take and leave the lock between two looks at it, but not for ever. */
const TRIES = 20;

/**
 * Takes the lock of an output, so that two processes on one file cannot mix. The lock of a process that is no more is
 * taken over.
 * @param lock the lock's own path
 * @param file what it is for, as people call it
 * @returns gives it back
 * @throws {UsageError} naming the process that has it; what the system has against a file here
 */
export function takeLock(lock: string, file: string): () => void {
  const own = JSON.stringify(thisProcess());
  for (let tries = 0; tries < TRIES; tries++) {
    if (create(lock, own)) return () => read(lock) === own && rmSync(lock, { force: true });
    const found = read(lock);
    if (found === undefined) continue;
    const stale = found === '' ? olderThan(lock, WRITTEN_WITHIN) : !alive(holderOf(found, lock));
    if (!stale) throw new UsageError(`${file} is being written by ${found === '' ? 'another process' : told(found)}`);
    setAside(lock, found);
  }
  throw new UsageError(`${file} is being written by others (${lock} comes and goes)`);
}

function thisProcess(): Holder {
  const { pid, argv } = process;
  const command = argv[2] ?? '';
  const since = new Date().toISOString();
  return { turnwise: 'lock', pid, started: startOf(pid), host: hostname(), command, since };
}

/** Makes the file with its text; false where there is one. */
function create(path: string, text: string): boolean {
  let target: number;
  try {
    target = openSync(path, 'wx');
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeAll(target, Buffer.from(text));
    closeSync(target);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
  return true;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function olderThan(path: string, age: number): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > age;
  } catch {
    return true;
  }
}

/** @throws {UsageError} where a file of somebody else has the lock's name */
function holderOf(text: string, lock: string): Holder {
  try {
    const holder = JSON.parse(text) as Holder;
    if (holder.turnwise === 'lock' && Number.isInteger(holder.pid)) return holder;
  } catch {
    // Said below.
  }
  throw new UsageError(`${lock} is in the way: it is no lock of this program`);
}

function alive({ pid, started, host }: Holder): boolean {
  // A process of another machine, on a folder that both see, cannot be asked.
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
  const now = startOf(pid);
  return started === '' || now === '' || started === now;
}

function told(text: string): string {
  const { pid, host, command, since } = JSON.parse(text) as Holder;
  const where = host === hostname() ? '' : ` on ${host}`;
  return `another process (${command} ${pid}${where}, since ${since})`;
}

/** When a process started, by the kernel's count: field 22 of stat, after a name that may hold anything. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/** Removes a stale lock, and no other: somebody else may have taken it over since it was read. */
function setAside(lock: string, stale: string): void {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  try {
    if (read(aside) !== stale) linkSync(aside, lock);
  } finally {
    rmSync(aside, { force: true });
  }
}
