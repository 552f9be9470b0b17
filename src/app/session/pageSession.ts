import type { Command, Message } from '../../training/data/protocol.ts';

/**
 * Somebody who trains, or acts as if: the page sends commands and hears messages, and never learns whether a worker
 * with a GPU or a recording answers.
 */
export interface Session {
  readonly kind: 'live' | 'recorded';
  send(command: Command): void;
  /** Ends it; no message comes afterwards, but for the last state of a lane. */
  close(): void;
  /** One more run beside this one: in the same worker, or the next one of the same recording. */
  lane?(hear: (message: Message) => void): Session;
}

/** Makes a session that tells `hear` everything. */
export type SessionFactory = (hear: (message: Message) => void) => Session;
