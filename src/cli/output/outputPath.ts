import { accessSync, constants, fstatSync, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
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

/** Returns the identity of an input, or undefined if the input does not exist. */
export function identityOfInput(file: string): string | undefined {
  try {
    return identityOf(file);
  } catch {
    return undefined;
  }
}

/** Returns the identity of the file at standard input (0), output (1) or error (2). */
export function identityOfStandard(descriptor: number): string | undefined {
  try {
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
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
