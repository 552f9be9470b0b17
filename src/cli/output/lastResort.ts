import { EXIT } from '../framework/errors.ts';

/** What of a process this needs. */
export interface Failing {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown;
  exit(code: number): void;
}

/**
 * Ends the program plainly where something fails that nothing waits for, in a library for example; Node would print its
 * stack and the source around it.
 * @param err takes the message
 */
export function endPlainly(program: Failing, err: (text: string) => void): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    program.on(event, (error) => {
      const message = error instanceof Error ? error.message : String(error);
      err(`turnwise: failed where nothing was waiting for it: ${message}\n`);
      program.exit(EXIT.failed);
    });
  }
}
