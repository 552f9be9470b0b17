import { show } from '../quoting.ts';
import type { LoggedTurn, Message } from './rollout.ts';
import { ImportError, isRecord, type LogRow } from './row.ts';

/** Conversation split into turns. Each message of the assistant is one turn. */
interface Conversation {
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

/**
 * Splits decoded text of a conversation into messages. TRL and verl log such text: the prompt up to the first text of
 * the assistant, and the rest as one string.
 */

/** Markers of a chat template, for text in which they are present. */
interface Template {
  /** First characters of a header. A search for them is faster than the pattern. */
  readonly start: string;
  readonly header: RegExp;
  readonly end: RegExp;
  readonly assistant: string;
}

const TEMPLATES: readonly Template[] = [
  // ChatML, for example Qwen.
  { start: '<|im_start|>', header: /<\|im_start\|>([\w-]+)\n/g, end: /<\|im_end\|>\n?$/, assistant: 'assistant' },
  // Llama 3.
  {
    start: '<|start_header_id|>',
    header: /<\|start_header_id\|>([\w-]+)<\|end_header_id\|>\n\n/g,
    end: /<\|(?:eot|eom)_id\|>$/,
    assistant: 'assistant',
  },
  // Gemma.
  { start: '<start_of_turn>', header: /<start_of_turn>([\w-]+)\n/g, end: /<end_of_turn>\n?$/, assistant: 'model' },
];

/** End of a ChatML prompt without special tokens. Qwen3 can have an open or empty <think> block there. */
const BARE_PROMPT = /(?:^|\n)assistant\n(?:<think>\n+(?:<\/think>\n+)?)?$/;
const BARE_HEADER = /(assistant|user|tool|system|function|observation|environment)\n/y;
const TOOL_RESPONSE = '<tool_response>';
const TOOL_RESPONSE_END = '</tool_response>';

/**
 * Splits a decoded output into messages. The first message is from the assistant.
 *
 * Markers of ChatML, Llama 3 and Gemma start messages. Without special tokens (`skip_special_tokens=True`, as in TRL
 * and verl), ChatML leaves lines that contain only a role. These lines start messages only if the prompt also ends with
 * the line "assistant", or the output begins with it. A message of the environment must precede another message of the
 * assistant or be a `<tool_response>`. All other text is one message, for example Llama 3 without special tokens, which
 * leaves no such lines.
 */
export function splitOutput(prompt: string, output: string): Message[] {
  for (const template of TEMPLATES) {
    const messages = splitMarked(template, output);
    if (messages) return messages;
  }
  if (BARE_PROMPT.test(prompt) || output.startsWith('assistant\n')) return splitBare(output);
  return [{ role: 'assistant', content: output }];
}

function splitMarked({ start, header, end, assistant }: Template, output: string): Message[] | undefined {
  if (!output.includes(start)) return undefined;
  const headers = [...output.matchAll(header)];
  if (headers.length === 0) return undefined;
  const messages: Message[] = [];
  const add = (role: string, content: string) => {
    messages.push({ role: role === assistant ? 'assistant' : role, content: content.replace(end, '') });
  };
  if (headers[0].index > 0) add(assistant, output.slice(0, headers[0].index));
  headers.forEach((match, index) => {
    add(match[1], output.slice(match.index + match[0].length, headers[index + 1]?.index));
  });
  return messages[0].role === 'assistant' ? messages : undefined;
}

function splitBare(output: string): Message[] {
  const messages: Message[] = [];
  /** Start of the current message of the assistant, and the environment headers after it. */
  let start = output.startsWith('assistant\n') ? 'assistant\n'.length : 0;
  let answers: { role: string; at: number; from: number }[] = [];
  const close = (end: number) => {
    // If tool responses follow, a line "user" before them is text of the policy.
    const tools = answers.findIndex(({ from }) => output.startsWith(TOOL_RESPONSE, from));
    answers = answers.slice(Math.max(tools, 0));
    const text = (from: number, to: number) => output.slice(from, Math.max(from, to - 1));
    messages.push({ role: 'assistant', content: text(start, answers[0].at) });
    answers.forEach(({ role, from }, index) => {
      messages.push({ role, content: text(from, answers[index + 1]?.at ?? end) });
    });
  };

  for (let at = start; at >= 0; at = nextLine(output, at)) {
    BARE_HEADER.lastIndex = at;
    const role = BARE_HEADER.exec(output)?.[1];
    if (role === undefined) continue;
    const from = at + role.length + 1;
    if (role !== 'assistant') {
      answers.push({ role, at, from });
      at = Math.max(at, afterToolResponses(output, from) - 1);
    } else if (answers.length > 0) {
      close(at);
      answers = [];
      start = from;
    }
  }
  const cut = answers.findLast(({ from }) => output.startsWith(TOOL_RESPONSE, from));
  if (cut) {
    // The rollout ends with a message of the environment, so no newline before a header must be removed.
    answers = answers.slice(0, answers.indexOf(cut) + 1);
    close(output.length + 1);
  } else messages.push({ role: 'assistant', content: output.slice(start) });
  return messages;
}

/** Returns the start of the next line after an index; -1 in the last line. */
function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? -1 : end + 1;
}

/** Returns the index after the tool responses at `from`. Their content can contain lines that resemble headers. */
function afterToolResponses(output: string, from: number): number {
  let at = from;
  while (output.startsWith(TOOL_RESPONSE, at)) {
    const end = output.indexOf(TOOL_RESPONSE_END, at);
    if (end < 0) return output.length;
    at = end + TOOL_RESPONSE_END.length;
    if (output[at] === '\n') at++;
  }
  return at;
}
