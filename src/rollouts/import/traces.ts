import type { ImportCounts } from './importCounts.ts';
import { ImportError } from './importError.ts';
import { readMessage, turnOf } from './messages.ts';
import { numbersOf, parseCount } from './results.ts';
import { type LoggedRollout, type LoggedTurn, type Message, type RolloutKey, withFields } from './rollout.ts';
import {
  type Columns,
  isRecord,
  LIST,
  type LogRow,
  NUMBER,
  omitColumns,
  optional,
  pick,
  RECORD,
  required,
} from './row.ts';

/**
 * verifiers' `traces.jsonl` (v0.2 and newer), prime-rl's stream of episodes, and its former `rollouts/step_N/{train,eval}/{all,effective}/traces.jsonl`:
 * one episode a line, `{id, env, task, group, run, ok, errors, traces: [...]}`, or one bare trace a line (v0.2). A trace
 * is a rollout of one agent: a graph of messages (`nodes`, each with its `parent`; `sampled` where the policy wrote it),
 * `calls` with token usage, named `rewards` (`{score, weight}`, numbers in v0.2), `metrics`, `info` and more.
 * Sources: PrimeIntellect-ai/verifiers, verifiers/v1/trace.py, graph.py, episode.py, cli/output.py (main of August 2026);
 * PrimeIntellect-ai/prime-rl, src/prime_rl/monitors/file.py (559b447); monitors/file/monitor.py (048a6e2), which appends episodes to
 * the stream of chunks `monitors/file/traces/stream`.
 */

/** A message of the graph; nulls are left out of the file, so that a root has no parent at all. */
interface Node {
  readonly parent: number;
  readonly message: Message;
  readonly sampled: boolean;
  readonly rest: Columns;
}

/** Conditions by which a limit stopped a trace: prime-rl, src/prime_rl/monitors/file/traces/index.py, `TRUNCATING_STOPS`. */
const LIMITS = /^max_|^compaction_failed$/;

/** Returns true if a row is an episode or a trace rather than a result. */
export function isTrace({ columns }: LogRow): boolean {
  return Array.isArray(columns.traces) || Array.isArray(columns.nodes);
}

/** Returns the traces of a row on which the policy is trained, each as a separate row, and the rest of the row. */
function tracesOf(row: LogRow): { traces: LogRow[]; frozen: number; episode: Columns | undefined } {
  if (!Array.isArray(row.columns.traces)) return { traces: [row], frozen: 0, episode: undefined };
  const all = row.columns.traces.map((columns: unknown, index): LogRow => {
    if (isRecord(columns)) return { location: row.location, columns };
    throw new ImportError({ ...row.location, column: `traces[${index}]` }, 'not an object');
  });
  // As in verifiers' own statistics: judges and modelled users are not compared with the policy.
  const traces = all.filter(({ columns }) => !isRecord(columns.agent) || columns.agent.trainable !== false);
  return { traces, frozen: all.length - traces.length, episode: omitColumns(row.columns, ['traces']) };
}

/**
 * The rollouts of a row. Groups: the same rollout group (or the same step and environment, in files without groups),
 * agent and task.
 * @throws {ImportError} for a graph that is none
 */
export function readTraces(row: LogRow, counts?: ImportCounts): LoggedRollout[] {
  const { traces, frozen, episode } = tracesOf(row);
  counts?.note('traces of agents that are not trained (judges, modelled users), left out', frozen);
  const run = isRecord(row.columns.run) && isRecord(row.columns.run.work) ? row.columns.run.work : {};
  if (run.type === 'eval')
    counts?.note('traces of evaluations (run.work.type "eval"), which count like others', traces.length);
  if (traces.length + frozen === 0) counts?.note('episodes without a trace, left out');
  return traces.map((trace) => {
    const { columns } = trace;
    const calls = (optional(trace, 'calls', LIST) ?? []).filter(isRecord);
    const nodes = readNodes(trace);
    const { prompt, turns, forks } = readTurns(nodes, calls);
    const tokenized = nodes.filter(
      ({ sampled, rest }) => !sampled && Array.isArray(rest.token_ids) && rest.token_ids.length,
    );
    counts?.note('messages not of the policy whose token ids are left out', tokenized.length);
    counts?.note('turns whose context was rewritten (field "continues")', forks);
    const failed =
      columns.ok === false || (columns.ok === undefined && Array.isArray(columns.errors) && columns.errors.length > 0);
    if (failed) counts?.note('rollouts that ended in an error (field "errors")');
    const components = readRewards(trace);
    const values = Object.values(components);
    const unlinked = calls.filter(({ node }) => node === undefined);
    return {
      location: row.location,
      ...keyOf(trace, episode),
      prompt: prompt.length > 0 ? prompt : undefined,
      turns,
      outcome: values.length > 0 ? values.reduce((sum, value) => sum + value, 0) : undefined,
      truncated: columns.is_truncated === true || LIMITS.test(String(columns.stop_condition)),
      failed,
      components,
      promptColumns: pick(columns, ['task', 'tools']),
      columns: {
        ...advantageOf(columns, nodes),
        ...omitColumns(columns, ['nodes', 'calls', 'task', 'tools']),
        ...(unlinked.length > 0 ? { calls: unlinked } : {}),
        ...(episode ? { episode: omitColumns(episode, ['task']) } : {}),
      },
    };
  });
}

/** Returns the advantage of a trace whose nodes have none: prime-rl annotates `info.advantage`. */
function advantageOf({ info }: Columns, nodes: readonly Node[]): Columns {
  if (!isRecord(info) || !NUMBER.fits(info.advantage)) return {};
  return nodes.some(({ rest }) => Array.isArray(rest.advantages)) ? {} : { advantage: info.advantage };
}

function keyOf(trace: LogRow, episode: Columns | undefined): RolloutKey {
  const task = required(trace, 'task', RECORD);
  const data = isRecord(task.data) ? task.data : {};
  const identity = task.hash ?? task.key ?? JSON.stringify(data);
  const agent =
    isRecord(trace.columns.agent) && trace.columns.agent.name !== undefined ? trace.columns.agent.name : null;
  const group = isRecord(episode?.group) ? episode.group.id : undefined;
  const run = isRecord(episode?.run) ? episode.run : trace.columns.run;
  const step = isRecord(run) && isRecord(run.work) ? parseCount(run.work.step) : undefined;
  const env = isRecord(episode?.env) ? (episode.env.name ?? episode.env.id ?? null) : null;
  const source = group === undefined ? [step, env] : [group];
  const name = group === undefined ? `task-${data.idx ?? String(identity).slice(0, 12)}` : `group-${group}`;
  return {
    key: JSON.stringify([...source, agent, identity]),
    step,
    name: agent === null || agent === 'agent' ? name : `${name}-${agent}`,
  };
}

function readNodes(trace: LogRow): Node[] {
  return required(trace, 'nodes', LIST).map((node, index): Node => {
    const path = `nodes[${index}]`;
    if (!isRecord(node)) throw new ImportError({ ...trace.location, column: path }, 'not an object');
    const { parent, message, sampled, ...rest } = node;
    const before = parent ?? -1;
    if (typeof before !== 'number' || !Number.isInteger(before) || before < -1 || before >= index) {
      throw new ImportError({ ...trace.location, column: `${path}.parent` }, `${before} is not an earlier node`);
    }
    return { parent: before, message: readMessage(trace, `${path}.message`, message), sampled: sampled === true, rest };
  });
}

/** Score times weight of each reward that was given. */
function readRewards(trace: LogRow): Record<string, number> {
  const rewards = required(trace, 'rewards', RECORD);
  const given = Object.entries(rewards).filter(([, reward]) => reward !== null && reward !== undefined);
  return Object.fromEntries(
    given.map(([name, reward]) => {
      if (NUMBER.fits(reward)) return [name, reward];
      const { score, weight = 1 } = isRecord(reward) ? reward : {};
      if (NUMBER.fits(score) && NUMBER.fits(weight)) return [name, score * weight];
      throw new ImportError({ ...trace.location, column: `rewards.${name}` }, 'neither a number nor {score, weight}');
    }),
  );
}

/**
 * The turns of a trace in the order in which they were written, one chain however its graph branches: a rollout has one
 * reward and counts once. Where a turn does not continue the one before (a compacted context, a sub-agent), `continues`
 * is the index of the turn of this rollout that it continues, -1 for none, and `context` what was said since.
 */
function readTurns(nodes: readonly Node[], calls: readonly Columns[]) {
  const prompt: Message[] = [];
  const turns: { turn: LoggedTurn; observation: Message[] }[] = [];
  const turnOfNode = new Map<number, number>();
  const visited = new Set<number>();
  let forks = 0;
  nodes.forEach((node, index) => {
    if (!node.sampled) return;
    const { since, ancestor } = pathBefore(nodes, index);
    const continued = ancestor < 0 ? -1 : (turnOfNode.get(ancestor) ?? -1);
    const fork = continued !== turns.length - 1;
    if (fork) forks++;
    else for (const at of since) (turns.at(-1)?.observation ?? prompt).push(nodes[at].message);
    for (const at of since) visited.add(at);
    const context = fork && since.length > 0 ? since.map((at) => nodes[at].message) : undefined;
    turnOfNode.set(index, turns.length);
    turns.push({
      turn: turnOfNodeAt(nodes[index], index, calls, fork ? continued : undefined, context),
      observation: [],
    });
  });
  // A message without an answer, such as the result of a last tool call, belongs to the turn before it.
  nodes.forEach((node, index) => {
    if (node.sampled || visited.has(index)) return;
    const { ancestor } = pathBefore(nodes, index);
    (turns[turnOfNode.get(ancestor) ?? -1]?.observation ?? prompt).push(node.message);
  });
  return {
    prompt,
    turns: turns.map(({ turn, observation }) => (observation.length > 0 ? withFields(turn, { observation }) : turn)),
    forks,
  };
}

/**
 * Returns the messages between a node and the nearest node before it that the policy wrote, in order; -1 if no such
 * node exists.
 */
function pathBefore(nodes: readonly Node[], index: number): { since: number[]; ancestor: number } {
  const since: number[] = [];
  let at = nodes[index].parent;
  for (; at >= 0 && !nodes[at].sampled; at = nodes[at].parent) since.unshift(at);
  return { since, ancestor: at };
}

function turnOfNodeAt(
  { message, rest }: Node,
  index: number,
  calls: readonly Columns[],
  continues: number | undefined,
  context: readonly Message[] | undefined,
): LoggedTurn {
  const call = calls.find(({ node }) => node === index);
  const { text, fields } = turnOf(message);
  const entries = Object.entries(rest).filter(([, value]) => !(Array.isArray(value) && value.length === 0));
  return {
    text,
    tokens: tokensOf(rest, call),
    context,
    fields: {
      ...fields,
      ...Object.fromEntries(entries),
      ...(call ? { call } : {}),
      ...(continues === undefined ? {} : { continues }),
    },
  };
}

/** Sampled tokens of the mask, or what the provider counted. */
function tokensOf({ mask }: Columns, call: Columns | undefined): number | undefined {
  if (Array.isArray(mask) && mask.length > 0) return mask.filter((sampled) => sampled === true).length;
  return isRecord(call?.usage) ? parseCount(numbersOf(call.usage).completion_tokens) : undefined;
}
