import { show } from '../quoting.ts';
import { ImportError } from './importError.ts';
import type { LoggedTurn, Message } from './rollout.ts';
import { isRecord, type LogRow } from './row.ts';

/** A conversation cut into turns: every message of the assistant is one. */
export interface Conversation {
  /** Messages before the first turn. */
  readonly before: readonly Message[];
  readonly turns: readonly LoggedTurn[];
}

/**
 * A list of chat messages.
 * @throws {ImportError} naming the column and the message
 */
export function readMessages(row: LogRow, column: string, value: readonly unknown[]): Message[] {
  return value.map((message, index) => readMessage(row, `${column}[${index}]`, message));
}

/** One chat message; `path` is its place in the row, for messages of errors. */
export function readMessage(row: LogRow, path: string, value: unknown): Message {
  if (!isRecord(value)) throw new ImportError({ ...row.location, column: path }, `${show(value)} is not a message`);
  if (typeof value.role !== 'string') {
    throw new ImportError({ ...row.location, column: `${path}.role` }, `${show(value.role)} is not a string`);
  }
  return value as Message;
}

/**
 * Cuts messages into turns. What other roles say after a turn is its observation; before the first, it belongs to the
 * prompt.
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

/** Makes a turn out of the assistant's message. Tool calls, reasoning and all other fields are saved with the text. */
export function turnOf(message: Message): LoggedTurn {
  const { role: _, content, ...fields } = message;
  const plain = content === undefined || content === null || typeof content === 'string';
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return { text: contentText(content), fields: { ...(plain ? {} : { content }), ...Object.fromEntries(entries) } };
}

/** The text of a message's content: a string, or the text parts of a list of parts. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (isRecord(part) && typeof part.text === 'string' ? part.text : undefined))
    .filter((text) => text !== undefined)
    .join('\n');
}
