/** Error for a part of the program that could not be fetched on demand: no network, or the file does not exist. */
export class NotLoadedError extends Error {
  /** @param part name of the part for the message, for example "the environment Repair" */
  constructor(part: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${part} could not be loaded (${reason})`, { cause });
    this.name = 'NotLoadedError';
  }
}

/** Awaits a part that is fetched on demand. @throws {NotLoadedError} that names the part, if it cannot be fetched */
export async function loaded<Part>(part: string, promise: Promise<Part>): Promise<Part> {
  try {
    return await promise;
  } catch (error) {
    throw new NotLoadedError(part, error);
  }
}
