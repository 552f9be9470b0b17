import { getSystemErrorMap } from 'node:util';

/** A command line that cannot be run in its current form; the message names the error and the allowed values. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Somebody asked to stop (Ctrl-C), and nothing is left half done. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}

/** Why a command is to end early, and with which code it then ends: the reason of a terminal's signal. */
export class Stop extends Error {
  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message);
    this.name = 'Stop';
  }
}

/** Exit codes of a process. 130 is the code that shells give to a program that ended by Ctrl-C. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** The system's reason for the failure of a call, in the system's words: "no space left on device". */
export function reason(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  const known = errno === undefined ? undefined : getSystemErrorMap().get(errno);
  return known?.[1] ?? message ?? String(error);
}

/** Returns the code of an error of the system, for example "ENOENT"; undefined for other errors. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/**
 * The error about an input that is there and cannot be read, where the system says why; any other error as it is.
 * @param name the file, behind its flag if it has one
 */
export function unreadable(name: string, error: unknown): unknown {
  return error instanceof Error && 'syscall' in error
    ? new UsageError(`${name} cannot be read (${reason(error)})`)
    : error;
}
