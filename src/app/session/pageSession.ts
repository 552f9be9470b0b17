import type { Command, Message } from '../../training/data/protocol.ts';

/** A training session as the page sees it: commands in, messages out. */
export interface Session {
  send(command: Command): void;
  /** Ends the session. No message comes afterwards, except the last state of a lane. */
  close(): void;
  /** One more run in the same worker. */
  lane?(listener: (message: Message) => void): Session;
}

/** Creates a session that sends all messages to `listener`. */
export type SessionFactory = (listener: (message: Message) => void) => Session;
