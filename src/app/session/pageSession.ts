import type { Command, Message } from '../../training/data/protocol.ts';

/** Training session of the page. It receives commands and sends messages. */
export interface Session {
  send(command: Command): void;
  /** Ends the session. It sends no further messages, except the last state of an additional run. */
  close(): void;
  /** Creates a session for an additional run in the same worker. */
  lane?(listener: (message: Message) => void): Session;
}

/** Creates a session that sends all messages to `listener`. */
export type SessionFactory = (listener: (message: Message) => void) => Session;
