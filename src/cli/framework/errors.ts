import { getSystemErrorMap } from 'node:util';

/** Error in a command line. The message has the problem and the allowed values. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Error that ends a command after Ctrl-C. Every output is complete or unchanged. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  override readonly message = 'interrupted';
}

/** Reason of an aborted signal of a terminal: the cause, and the exit code of the command. */
export class Stop extends Error {
  override readonly name = 'Stop';

  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message);
  }
}

/** Exit codes of a process. Shells use 130 for a program that Ctrl-C ended. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/**
 * Returns the system's description of a failed call, for example "no space left on device". Other errors return their
 * message.
 */
export function reason(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  const known = errno === undefined ? undefined : getSystemErrorMap().get(errno);
  return known?.[1] ?? message ?? String(error);
}

/** Returns the code of a system error, for example "ENOENT", or undefined for other errors. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/**
 * Converts a system error of an existing input that cannot be read into a UsageError. Returns other errors unchanged.
 * @param name the file, after its flag if it has one
 */
export function unreadable(name: string, error: unknown): unknown {
  return error instanceof Error && 'syscall' in error
    ? new UsageError(`${name} cannot be read (${reason(error)})`)
    : error;
}
