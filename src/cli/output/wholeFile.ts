import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { errorCode } from '../framework/errors.ts';
import { type Result, TextFile } from './spool.ts';
import { writeAll } from './writeAll.ts';

/** A file that grows under another name in its folder and then takes the place of the one that is meant. */
export class WholeFile implements Result {
  private target: TextFile | undefined;

  /** @param failed makes the message about an error */
  constructor(
    private readonly path: string,
    private readonly unfinished: string,
    private readonly failed: (error: unknown) => Error,
  ) {
    this.target = this.told(() => new TextFile(openBeside(path, unfinished)));
  }

  write(text: string): void {
    this.told(() => this.target?.write(text));
  }

  async deliver(): Promise<void> {
    const { target } = this;
    if (!target) return;
    this.told(() => {
      target.flush();
      sync(target.descriptor);
      target.close();
      renameSync(this.unfinished, this.path);
    });
    this.target = undefined;
  }

  discard(): void {
    if (!this.target) return;
    this.target.abandon();
    this.target = undefined;
    rmSync(this.unfinished, { force: true });
  }

  private told<Outcome>(act: () => Outcome): Outcome {
    try {
      return act();
    } catch (error) {
      this.discard();
      throw this.failed(error);
    }
  }
}

/** Makes a file from bytes as a whole, or leaves it as it was and nothing beside it. */
export function replaceFile(path: string, unfinished: string, bytes: Uint8Array): void {
  let target: number | undefined;
  try {
    target = openBeside(path, unfinished);
    writeAll(target, bytes);
    sync(target);
    const written = target;
    target = undefined;
    closeSync(written);
    renameSync(unfinished, path);
  } catch (error) {
    if (target !== undefined) closeSync(target);
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Opens the unfinished file with the rights of the one that it replaces. */
function openBeside(path: string, unfinished: string): number {
  const old = rightsOf(path);
  const target = openSync(unfinished, 'wx', old ? old.mode & 0o777 : 0o666);
  if (!old) return target;
  try {
    // Only root may give files away; for others they were their own already.
    if (process.getuid?.() === 0) fchownSync(target, old.uid, old.gid);
    fchmodSync(target, old.mode & 0o7777);
  } catch {
    // Some file systems know no rights; the content matters more.
  }
  return target;
}

function rightsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Waits until a file is on its disk, where some systems find out that there is no room for it. */
function sync(target: number): void {
  try {
    fsyncSync(target);
  } catch (error) {
    // Not every file system has it.
    if (!['EINVAL', 'ENOTSUP', 'ENOSYS'].includes(errorCode(error) ?? '')) throw error;
  }
}
