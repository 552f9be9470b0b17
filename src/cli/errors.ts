/** A command line that cannot be done as it stands; the message names what is wrong and what is allowed. */
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

/** How a process ends. 130 is what shells give to a program that ended by Ctrl-C. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;
