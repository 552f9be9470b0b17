import type { LoggedTurn } from './rollout.ts';
import { isRecord } from './row.ts';

// Tool calls in logs: `tool_calls` of chat messages (objects, or JSON texts as verifiers writes them), calls of the Responses
// API, `<tool_call>` with JSON, and pairs of tags such as `<search>`.

/** Tags in which policies call a tool by a plain text. */
const CALL_TAGS = ['search', 'code', 'python', 'execute', 'tool', 'query', 'action', 'bash'] as const;
const CALLS = new RegExp(`<(tool_call|${CALL_TAGS.join('|')})>([\\s\\S]*?)(?:</\\1>|$)`, 'g');

/** Returns the tool calls of a turn, each as `name(arguments)`; none if the turn calls no tool. */
export function callsOf({ text, fields }: LoggedTurn): readonly string[] {
  const listed = [fields.tool_calls, fields.calls].find((list) => Array.isArray(list) && list.length > 0);
  if (Array.isArray(listed)) return listed.map(callText);
  if (!text.includes('<')) return [];
  return [...text.matchAll(CALLS)].map(([, tag, inner]) => {
    return tag === 'tool_call' ? callText(parsed(inner.trim())) : `${tag}(${inner.trim()})`;
  });
}

/** Returns a call as text, arguments in the order of their names. */
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
