/** A part of the page or the program that is fetched when it is needed did not come: the network is away, or the file is. */
export class NotLoadedError extends Error {
  /** @param part what did not come, for a person: "the environment Repair" */
  constructor(part: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${part} could not be loaded (${reason})`, { cause });
    this.name = 'NotLoadedError';
  }
}

/** Waits for something that is fetched. @throws {NotLoadedError} naming the part that did not come */
export async function loaded<Part>(part: string, promise: Promise<Part>): Promise<Part> {
  try {
    return await promise;
  } catch (error) {
    throw new NotLoadedError(part, error);
  }
}
