import { show } from '../quoting.ts';
import { ImportError } from './importError.ts';
import type { LoggedTurn, Message } from './rollout.ts';
import { isRecord, type LogRow } from './row.ts';

/** Conversation split into turns. Each message of the assistant is one turn. */
export interface Conversation {
  /** Messages before the first turn. */
  readonly before: readonly Message[];
  readonly turns: readonly LoggedTurn[];
}

/**
 * Reads a list of chat messages.
 * @throws {ImportError} that names the column and the index of a wrong message
 */
export function readMessages(row: LogRow, column: string, value: readonly unknown[]): Message[] {
  return value.map((message, index) => readMessage(row, `${column}[${index}]`, message));
}

/** Reads one chat message. @param path location in the row, for errors @throws {ImportError} if it has no role */
export function readMessage(row: LogRow, path: string, value: unknown): Message {
  if (!isRecord(value)) throw new ImportError({ ...row.location, column: path }, `${show(value)} is not a message`);
  if (typeof value.role !== 'string') {
    throw new ImportError({ ...row.location, column: `${path}.role` }, `${show(value.role)} is not a string`);
  }
  return value as Message;
}

/**
 * Splits messages into turns. Messages of other roles after a turn are its observation. Messages before the first turn
 * belong to the prompt.
 */
export function conversation(messages: readonly Message[]): Conversation {
  const before: Message[] = [];
  const turns: { message: Message; observation: Message[] }[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') turns.push({ message, observation: [] });
    else (turns.at(-1)?.observation ?? before).push(message);
  }
  return {
    before,
    turns: turns.map(({ message, observation }) =>
      observation.length > 0 ? { observation, ...turnOf(message) } : turnOf(message),
    ),
  };
}

/** Creates a turn from a message of the assistant. Tool calls, reasoning and all other fields are retained. */
export function turnOf(message: Message): LoggedTurn {
  const { role: _, content, ...fields } = message;
  const plain = content === undefined || content === null || typeof content === 'string';
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return { text: contentText(content), fields: { ...(plain ? {} : { content }), ...Object.fromEntries(entries) } };
}

/** Returns the text of a message's content, which is a string or a list of parts. Only text parts are joined. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (isRecord(part) && typeof part.text === 'string' ? part.text : undefined))
    .filter((text) => text !== undefined)
    .join('\n');
}
