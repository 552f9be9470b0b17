import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode, reason, UsageError } from '../framework/errors.ts';

/** Location of an output. */
export interface OutputPath {
  /**
   * Kind of the output. `file`: a regular file, which is replaced as a whole and can be missing. `stream`: a device
   * (/dev/null) or an open file of this process (/dev/stdout), to which the output is appended.
   */
  readonly kind: 'file' | 'stream';
  /** Path after all links are followed. */
  readonly path: string;
  /** Device and inode of the file, equal for all names of one file. A new file has those of its folder and its name. */
  readonly identity: string;
}

/** Paths of open files of a process. */
const DESCRIPTOR = /^(\/proc\/[^/]+(\/task\/\d+)?\/fd|\/dev\/fd)\/\d+$/;

/**
 * Resolves the path of an output.
 * @throws {UsageError} if the output cannot be written: a folder, a disk, a socket, a named pipe, or no permission
 */
export function findOutput(file: string): OutputPath {
  if (/[/\\]$/.test(file)) throw new UsageError(`${file} is the name of a folder, not a file`);
  try {
    const old = statSync(file, { throwIfNoEntry: false });
    const path = followLinks(resolve(file));
    if (!old) return { kind: 'file', path, identity: `${identityOf(dirname(path))}/${basename(path)}` };
    const isDescriptor = DESCRIPTOR.test(path);
    const rejection = notWritable(old, isDescriptor);
    if (rejection !== undefined) throw new UsageError(`${file} is ${rejection}, not a file`);
    if (!isDescriptor) accessSync(path, constants.W_OK);
    const kind = isDescriptor || old.isCharacterDevice() ? 'stream' : 'file';
    return { kind, path, identity: identityOf(path) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be written (${reason(error)})`);
  }
}

/**
 * Checks that files can be created in an existing folder, by creating and removing a folder in it.
 * @throws {UsageError} if the folder cannot be written
 */
export function checkWritableFolder(flag: string, folder: string): void {
  try {
    rmdirSync(mkdtempSync(join(folder, '.turnwise-')));
  } catch (error) {
    throw new UsageError(`--${flag}: ${folder} cannot be written (${reason(error)})`);
  }
}

/** Returns the kind of a file that cannot be an output, or undefined if it can be one. Exported for its test. */
export function notWritable(
  stats: Pick<Stats, 'isDirectory' | 'isBlockDevice' | 'isSocket' | 'isFIFO'>,
  isDescriptor: boolean,
): string | undefined {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isBlockDevice()) return 'a disk';
  if (isDescriptor) return undefined;
  if (stats.isFIFO()) return 'a named pipe';
  return stats.isSocket() ? 'a socket' : undefined;
}

/** Returns the identity of a file, by its path or its open descriptor, or undefined if it does not exist. */
export function findIdentity(file: string | number): string | undefined {
  try {
    return identityOf(file);
  } catch {
    return undefined;
  }
}

function identityOf(file: string | number): string {
  const { dev, ino } = typeof file === 'number' ? fstatSync(file, { bigint: true }) : statSync(file, { bigint: true });
  return `${dev}:${ino}`;
}

/** Returns the path after all links are followed, even if the last link has no target. Descriptors keep their names. */
function followLinks(path: string): string {
  const here = DESCRIPTOR.test(path) ? path : join(realFolder(dirname(path)), basename(path));
  if (DESCRIPTOR.test(here) || !lstatSync(here, { throwIfNoEntry: false })?.isSymbolicLink()) return here;
  return followLinks(resolve(dirname(here), readlinkSync(here)));
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new UsageError(`there is no folder ${folder}`);
    throw error;
  }
}

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
  const started = { pid, started: startOf(pid), host: hostname() };
  const holder = JSON.stringify({ ...started, command: argv[2] ?? '', since: new Date().toISOString() });
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (create(lock, holder)) return () => readLock(lock) === holder && rmSync(lock, { force: true });
    const text = readLock(lock);
    if (text === undefined) continue;
    const writer = writerOf(lock, text);
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

/** Returns the text of a lock, or undefined if it does not exist. */
function readLock(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes a lock with this text. If another process has replaced the lock, restores that lock. */
function removeLock(lock: string, text: string): void {
  const renamed = `${lock}.${process.pid}`;
  try {
    renameSync(lock, renamed);
    if (readLock(renamed) !== text) linkSync(renamed, lock);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  } finally {
    rmSync(renamed, { force: true });
  }
}

/**
 * Returns the name of the process that has a lock, or undefined if the process has ended.
 * @throws {UsageError} if the file is not a lock
 */
function writerOf(lock: string, text: string): string | undefined {
  if (text === '') {
    const writtenAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return Date.now() - writtenAt > WRITTEN_WITHIN ? undefined : 'another process';
  }
  const holder = parseHolder(text);
  if (!holder) throw new UsageError(`${lock} exists and is not a lock of this program; remove it`);
  if (!isRunning(holder)) return undefined;
  const where = holder.host === hostname() ? '' : ` on ${holder.host}`;
  return `another process (${holder.command} ${holder.pid}${where}, since ${holder.since})`;
}

function parseHolder(text: string): Holder | undefined {
  try {
    const holder = JSON.parse(text) as Holder;
    return Number.isInteger(holder.pid) && typeof holder.host === 'string' ? holder : undefined;
  } catch {
    return undefined;
  }
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
