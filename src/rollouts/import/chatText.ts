import type { Message } from './rollout.ts';

/**
 * Text that a tokenizer decoded from a whole conversation, cut back into messages. TRL and verl log such text: the
 * prompt up to the assistant's first word, and everything after it as one string.
 */

/** A chat template whose markers are still in the text. */
interface Template {
  /** First characters of a header: a search for them is faster than the pattern. */
  readonly start: string;
  readonly header: RegExp;
  readonly end: RegExp;
  readonly assistant: string;
}

const TEMPLATES: readonly Template[] = [
  // ChatML: Qwen and many others.
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

/** The end of a prompt from which ChatML's special tokens were skipped; Qwen3 may have opened or closed its thoughts. */
const BARE_PROMPT = /(?:^|\n)assistant\n(?:<think>\n+(?:<\/think>\n+)?)?$/;
const BARE_HEADER = /(assistant|user|tool|system|function|observation|environment)\n/y;
const TOOL_RESPONSE = '<tool_response>';
const TOOL_RESPONSE_END = '</tool_response>';

/**
 * Cuts a decoded output into messages, the first of which is the assistant's.
 *
 * Markers of ChatML, Llama 3 and Gemma are followed if they are present. If special tokens were skipped
 * (`skip_special_tokens=True`, as TRL and verl do), ChatML leaves lines that contain only a role. These lines are
 * followed only if the prompt, too, ends with the line "assistant" (or the output begins with it). An answer of the
 * environment only counts if the assistant writes again after it, or if it is a `<tool_response>`. All other text stays
 * one message: templates that leave no lines (Llama 3 without its special tokens) cannot be distinguished.
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
  /** Start of the assistant's open message, and the positions of the environment's headers after it. */
  let start = output.startsWith('assistant\n') ? 'assistant\n'.length : 0;
  let answers: { role: string; at: number; from: number }[] = [];
  const close = (end: number) => {
    // If there are tool responses, a line "user" before them is the policy's text.
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
    // The rollout ended in the environment's answer: no line follows that would have to be taken off.
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

/** Returns the index after the tool responses that begin at `from`: their content may look like anything. */
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
