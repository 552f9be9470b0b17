import type { LoggedTurn } from './rollout.ts';
import { isRecord } from './row.ts';

// Notations of tool calls in logs: `tool_calls` of chat messages (objects, or JSON texts as in verifiers), calls of the
// Responses API, `<tool_call>` with JSON, and pairs of tags such as `<search>`.

/** Names of tags that contain a tool call as plain text. */
const CALL_TAGS = ['search', 'code', 'python', 'execute', 'tool', 'query', 'action', 'bash'] as const;
const OPENING = new RegExp(`<(tool_call|${CALL_TAGS.join('|')})>`, 'g');

/** Returns the tool calls of a turn, each as `name(arguments)`; empty if the turn does not call a tool. */
export function callsOf({ text, fields }: LoggedTurn): readonly string[] {
  const listed = [fields.tool_calls, fields.calls].find((list) => Array.isArray(list) && list.length > 0);
  if (Array.isArray(listed)) return listed.map(callText);
  if (!text.includes('<')) return [];
  const calls: string[] = [];
  OPENING.lastIndex = 0;
  for (let match = OPENING.exec(text); match; match = OPENING.exec(text)) {
    const [, tag] = match;
    const end = text.indexOf(`</${tag}>`, OPENING.lastIndex);
    const inner = text.slice(OPENING.lastIndex, end < 0 ? text.length : end).trim();
    calls.push(tag === 'tool_call' ? callText(parsed(inner)) : `${tag}(${inner})`);
    // Tags within a call belong to its arguments.
    OPENING.lastIndex = end < 0 ? text.length : end;
  }
  return calls;
}

/** Formats a call as text, with its arguments sorted by name. */
function callText(call: unknown): string {
  const value = typeof call === 'string' ? parsed(call) : call;
  if (!isRecord(value)) return String(value);
  const { name = 'tool', arguments: given } = isRecord(value.function) ? value.function : value;
  const values = typeof given === 'string' ? parsed(given) : given;
  if (!isRecord(values)) return `${name}(${values === undefined ? '' : JSON.stringify(values)})`;
  const entries = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${name}(${entries.map(([key, entry]) => `${key}=${JSON.stringify(entry)}`).join(', ')})`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
