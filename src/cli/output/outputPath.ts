import { accessSync, constants, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode, reason, UsageError } from '../framework/errors.ts';

/** What stands behind the name of an output. */
export interface OutputPath {
  /**
   * `file`: a regular file, there or not yet, which is replaced as a whole. The rest is written into and never replaced:
   * `descriptor`, an open file of this process (/dev/stdout), `device`, a character device (/dev/null), and `pipe`.
   */
  readonly kind: 'file' | 'descriptor' | 'device' | 'pipe';
  /** Where it is, links followed. */
  readonly path: string;
  /** The same for two names of one thing: device and inode, or those of the folder and the name in it. */
  readonly identity: string;
  /** Rights of the file that is there; absent where there is none yet. */
  readonly old?: Stats;
}

/** More links than that in a row are a circle. */
const MOST_LINKS = 40;
/** Folders whose entries are open files of a process. */
const DESCRIPTORS = /^(\/proc\/\d+(\/task\/\d+)?\/fd|\/dev\/fd)$/;

/**
 * Finds out what an output's name stands for.
 * @throws {UsageError} for what can be no output: folders, disks, sockets, files without the right to write
 */
export function findOutput(file: string): OutputPath {
  if (/[/\\]$/.test(file)) throw new UsageError(`${file} is the name of a folder`);
  try {
    const path = follow(file);
    const old = statOf(path);
    const descriptor = DESCRIPTORS.test(dirname(path));
    if (!old) return { kind: 'file', path, identity: `${identityOf(dirname(path))}/${basename(path)}` };
    const other = noOutput(old);
    if (other !== undefined) throw new UsageError(`${file} is ${other}, no file`);
    if (!descriptor) accessSync(path, constants.W_OK);
    const identity = identityOf(path);
    if (old.isFIFO()) return { kind: 'pipe', path, identity };
    if (old.isCharacterDevice()) return { kind: 'device', path, identity };
    return descriptor ? { kind: 'descriptor', path, identity } : { kind: 'file', path, identity, old };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be written (${reason(error)})`);
  }
}

/** What something is that can be no output; undefined where it can be one. Exported for its test: nobody lends a disk. */
export function noOutput(found: Pick<Stats, 'isDirectory' | 'isBlockDevice' | 'isSocket'>): string | undefined {
  if (found.isDirectory()) return 'a folder';
  if (found.isBlockDevice()) return 'a disk';
  return found.isSocket() ? 'a socket' : undefined;
}

/** What stands behind the name of an input; undefined where there is nothing. */
export function identityOfInput(file: string): string | undefined {
  try {
    return identityOf(file);
  } catch {
    return undefined;
  }
}

/** Device and inode, of a path or an open descriptor. */
function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

/** The path behind any links, also where the last one leads to nothing; descriptors stay what they are called. */
function follow(file: string): string {
  let path = resolve(file);
  for (let links = 0; links < MOST_LINKS; links++) {
    const folder = realFolder(dirname(path));
    path = join(folder, basename(path));
    if (DESCRIPTORS.test(folder)) return path;
    const target = linkTarget(path);
    if (target === undefined) return path;
    path = resolve(folder, target);
  }
  throw new UsageError(`${file} is a circle of links`);
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new UsageError(`there is no folder ${folder}`);
    throw error;
  }
}

/** Where a link leads; undefined for what is no link or is not there. */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (['EINVAL', 'ENOENT', 'UNKNOWN'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
