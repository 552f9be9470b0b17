import { contentText, conversation } from './messages.ts';
import type { LogReader } from './reader.ts';
import type { LoggedRollout, Message } from './rollout.ts';
import { isRecord, LIST, type LogRow, NUMBER, omitColumns, optional, RECORD, required, requiredOrNull } from './row.ts';

/**
 * Reader of NeMo Gym's rollouts in the format of OpenAI's Responses API. A line has `responses_create_params.input` (a
 * text or items), `response.output` (items), `reward`, `_ng_task_index`, `_ng_rollout_index`, and the fields that the
 * resource server adds. Items are messages, reasoning, `function_call` and `function_call_output`. The items of the
 * model between two responses of the environment are one turn.
 * Source: NVIDIA-NeMo/Gym, nemo_gym/rollout_collection.py (`RolloutCollectionHelper`), nemo_gym/openai_utils.py.
 */
export class ResponsesReader implements LogReader {
  index(row: LogRow): LoggedRollout[] {
    return this.rollouts(row);
  }

  rollouts(row: LogRow): LoggedRollout[] {
    const parameters = required(row, 'responses_create_params', RECORD);
    const output = optional({ ...row, columns: required(row, 'response', RECORD) }, 'output', LIST) ?? [];
    const { input } = parameters;
    const prompt = typeof input === 'string' ? input : messagesOf(Array.isArray(input) ? input : []);
    const { before, turns } = conversation(messagesOf(output));
    const task = optional(row, '_ng_task_index', NUMBER);
    return [
      {
        key: JSON.stringify([task ?? prompt, row.columns.agent_ref ?? null]),
        ...(task === undefined ? {} : { name: `task-${task}` }),
        location: row.location,
        prompt: before.length > 0 && Array.isArray(prompt) ? [...prompt, ...before] : prompt,
        turns,
        outcome: requiredOrNull(row, 'reward', NUMBER),
        truncated: row.columns.truncated === true,
        promptColumns: { ...('agent_ref' in row.columns ? { agent_ref: row.columns.agent_ref } : {}) },
        columns: omitColumns(row.columns, ['responses_create_params', 'response', 'reward', 'agent_ref', 'truncated']),
      },
    ];
  }
}

/** Converts items of the Responses API to chat messages. Consecutive items of the model become one message. */
function messagesOf(items: readonly unknown[]): Message[] {
  const messages: Message[] = [];
  let open: { texts: string[]; calls: unknown[] } | undefined;
  const close = () => {
    if (!open) return;
    const { texts, calls } = open;
    messages.push({ role: 'assistant', content: texts.join('\n'), ...(calls.length > 0 ? { tool_calls: calls } : {}) });
    open = undefined;
  };
  const model = () => {
    open ??= { texts: [], calls: [] };
    return open;
  };
  for (const item of items.filter(isRecord)) {
    const { type = 'message', role } = item;
    if (type === 'function_call') model().calls.push({ name: item.name, arguments: item.arguments });
    else if (type === 'reasoning') model();
    else if (type === 'function_call_output') {
      close();
      messages.push({ role: 'tool', content: item.output });
    } else if (role === 'assistant') {
      // Two consecutive messages of the model are two turns.
      if (open && open.texts.length > 0) close();
      model().texts.push(contentText(item.content));
    } else {
      close();
      messages.push({ role: typeof role === 'string' ? role : 'environment', content: contentText(item.content) });
    }
  }
  close();
  return messages;
}
