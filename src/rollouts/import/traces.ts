import type { ImportCounts } from './importCounts.ts';
import { LineSource, type LogFile, type RowLocation, type RowSource } from './logFile.ts';
import { readMessage, turnOf } from './messages.ts';
import { type LoggedRollout, type LoggedTurn, type Message, type RolloutKey, withFields } from './rollout.ts';
import {
  type Columns,
  ImportError,
  isRecord,
  LIST,
  type LogRow,
  NUMBER,
  numbersOf,
  omitColumns,
  optional,
  parseCount,
  pick,
  RECORD,
  required,
} from './row.ts';

/**
 * Format of verifiers' `traces.jsonl` (v0.2 and newer), prime-rl's stream of episodes, and its former
 * `rollouts/step_N/{train,eval}/{all,effective}/traces.jsonl`. A line is one episode,
 * `{id, env, task, group, run, ok, errors, traces: [...]}`, or one trace (v0.2). A trace is a rollout of one agent. Its
 * `nodes` are a graph of messages with `parent`, and `sampled` if the policy wrote the message. It also has `calls`
 * with token usage, named `rewards` (`{score, weight}`; numbers in v0.2), `metrics`, `info` and more.
 * Sources: PrimeIntellect-ai/verifiers, verifiers/v1/trace.py, graph.py, episode.py, cli/output.py (main of August
 * 2026); PrimeIntellect-ai/prime-rl, src/prime_rl/monitors/file.py (559b447); monitors/file/monitor.py (048a6e2), which
 * appends episodes to the stream of chunks `monitors/file/traces/stream`.
 */

/** Message of the graph. The file leaves out null values, so a root has no `parent`; here its parent is -1. */
interface Node {
  readonly parent: number;
  readonly message: Message;
  readonly sampled: boolean;
  readonly rest: Columns;
}

/**
 * Pattern of stop conditions of traces that a limit ended.
 * Source: prime-rl, src/prime_rl/monitors/file/traces/index.py, `TRUNCATING_STOPS`.
 */
const LIMITS = /^max_|^compaction_failed$/;

/** Returns true if a row is an episode or a trace, and not a row of `results.jsonl`. */
export function isTrace({ columns }: LogRow): boolean {
  return Array.isArray(columns.traces) || Array.isArray(columns.nodes);
}

/**
 * Returns the traces of trainable agents as separate rows, the number of other traces, and the remaining columns of the
 * episode.
 */
function tracesOf(row: LogRow): { traces: LogRow[]; frozen: number; episode: Columns | undefined } {
  if (!Array.isArray(row.columns.traces)) return { traces: [row], frozen: 0, episode: undefined };
  const all = row.columns.traces.map((columns: unknown, index): LogRow => {
    if (isRecord(columns)) return { location: row.location, columns };
    throw new ImportError({ ...row.location, column: `traces[${index}]` }, 'not an object');
  });
  // As in the statistics of verifiers: judges and modelled users are not compared with the policy.
  const traces = all.filter(({ columns }) => !isRecord(columns.agent) || columns.agent.trainable !== false);
  return { traces, frozen: all.length - traces.length, episode: omitColumns(row.columns, ['traces']) };
}

/**
 * Reads the rollouts of a row. A group is the rollouts with equal rollout group, agent and task. In files without
 * rollout groups, step and environment replace the rollout group.
 * @throws {ImportError} if a graph of messages is not valid
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

/** Returns the advantage that prime-rl writes to `info.advantage`; empty if the nodes have advantages. */
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

/** Returns score times weight for each reward that is not null. */
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
 * Returns the turns of a trace in the order of the file. They are one chain even if the graph branches, because a
 * rollout has one reward and counts once. A turn does not continue the previous turn after a compacted context or in a
 * sub-agent. Its field `continues` is then the index of the turn that it continues in this rollout, -1 for none. Its
 * `context` has the messages between both turns.
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
    const call = calls.find((candidate) => candidate.node === index);
    const { text, fields } = turnOf(node.message);
    const entries = Object.entries(node.rest).filter(([, value]) => !(Array.isArray(value) && value.length === 0));
    const more = {
      ...Object.fromEntries(entries),
      ...(call ? { call } : {}),
      ...(fork ? { continues: continued } : {}),
    };
    const turn = { text, tokens: tokensOf(node.rest, call), context, fields: { ...fields, ...more } };
    turns.push({ turn, observation: [] });
  });
  // A message without a later turn, such as the result of the last tool call, belongs to the turn before it.
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
 * Returns the nearest ancestor of a node that the policy wrote (`ancestor`, -1 if none), and the nodes between both in
 * order (`since`).
 */
function pathBefore(nodes: readonly Node[], index: number): { since: number[]; ancestor: number } {
  const since: number[] = [];
  let at = nodes[index].parent;
  for (; at >= 0 && !nodes[at].sampled; at = nodes[at].parent) since.unshift(at);
  return { since, ancestor: at };
}

/** Returns the number of sampled tokens in the mask, or else the count of the provider. */
function tokensOf({ mask }: Columns, call: Columns | undefined): number | undefined {
  if (Array.isArray(mask) && mask.length > 0) return mask.filter((sampled) => sampled === true).length;
  return isRecord(call?.usage) ? parseCount(numbersOf(call.usage).completion_tokens) : undefined;
}

/**
 * Annotations of prime-rl: values that a run computes for a trace after it wrote the trace. A line is one update with
 * `trace_id`, `info` and `branches`. A branch has lists with one value per token. Later updates replace earlier
 * updates.
 * Source: PrimeIntellect-ai/prime-rl, src/prime_rl/monitors/file/traces/update.py (65a1858), `fold_trace_updates`.
 */

/** Names of the lists of a branch in an update, with one value per token. */
const FIELDS = ['advantages', 'trainer_logprobs', 'entropies', 'is_masked'] as const;

/** Rows of episodes with their annotations. Memory contains the positions of the updates, not the updates. */
export class AnnotatedRows implements RowSource {
  private readonly updates: LineSource;
  private positions: Promise<ReadonlyMap<string, readonly RowLocation[]>> | undefined;

  constructor(
    private readonly episodes: RowSource,
    annotations: LogFile,
  ) {
    this.updates = new LineSource(annotations);
  }

  async *rows() {
    for await (const entry of this.episodes.rows()) yield { ...entry, row: await this.annotated(entry.row) };
  }

  async at(position: RowLocation): Promise<LogRow> {
    return this.annotated(await this.episodes.at(position));
  }

  private async annotated(row: LogRow): Promise<LogRow> {
    const { traces } = row.columns;
    if (!Array.isArray(traces)) return row;
    this.positions ??= this.index();
    const positions = await this.positions;
    const folded: unknown[] = [];
    for (const trace of traces) {
      const updates = isRecord(trace) && typeof trace.id === 'string' ? (positions.get(trace.id) ?? []) : [];
      let result = trace;
      for (const at of updates) result = foldUpdate(result, (await this.updates.at(at)).columns);
      folded.push(result);
    }
    return { ...row, columns: { ...row.columns, traces: folded } };
  }

  private async index(): Promise<ReadonlyMap<string, readonly RowLocation[]>> {
    const positions = new Map<string, RowLocation[]>();
    for await (const { row, at } of this.updates.rows()) {
      const { trace_id: trace } = row.columns;
      if (typeof trace !== 'string') continue;
      const known = positions.get(trace);
      if (known) known.push(at);
      else positions.set(trace, [at]);
    }
    return positions;
  }
}

/** Returns a trace with the values of an update. */
export function foldUpdate(trace: Columns, { info, branches }: Columns): Columns {
  const nodes = Array.isArray(trace.nodes) ? trace.nodes.map((node) => (isRecord(node) ? { ...node } : node)) : [];
  const paths = branchPaths(nodes);
  for (const branch of Array.isArray(branches) ? branches.filter(isRecord) : []) {
    const path = paths[Number(branch.index)] ?? [];
    for (const field of FIELDS) if (Array.isArray(branch[field])) setValues(nodes, path, field, branch[field]);
  }
  return {
    ...trace,
    ...(isRecord(info) && Object.keys(info).length > 0 ? { info: merged(trace.info, info) } : {}),
    ...(nodes.length > 0 ? { nodes } : {}),
  };
}

/** Stores the values of a branch's sampled tokens in their nodes, if the list has a value for each of these tokens. */
function setValues(
  nodes: readonly unknown[],
  path: readonly number[],
  field: string,
  values: readonly unknown[],
): void {
  let from = 0;
  for (const index of path) {
    const node = nodes[index] as Record<string, unknown>;
    const [tokens, mask] = [node.token_ids, node.mask].map((list) => (Array.isArray(list) ? list : []));
    const span = values.slice(from, from + tokens.length);
    from += tokens.length;
    if (span.length < tokens.length) return;
    const sampled = span.filter((_, at) => mask[at] === true);
    const gaps = sampled.filter((value) => value === null).length;
    // `is_masked` is null for tokens without a loss mask, so single nulls are valid there.
    const isComplete = field === 'is_masked' ? gaps < sampled.length : gaps === 0;
    if (sampled.length > 0 && isComplete) node[field] = sampled;
  }
}

/** Returns the node indices of each branch from its root to its leaf, in the order of the leaves. */
function branchPaths(nodes: readonly unknown[]): readonly (readonly number[])[] {
  const parents = nodes.map((node) => (isRecord(node) && typeof node.parent === 'number' ? node.parent : -1));
  const inner = new Set(parents);
  return nodes.flatMap((_, leaf) => {
    if (inner.has(leaf)) return [];
    const path: number[] = [];
    // A parent must be an earlier node. The reader of traces reports other parents as an error.
    for (let at = leaf; at >= 0 && isRecord(nodes[at]); at = parents[at] < at ? parents[at] : -1) path.unshift(at);
    return [path];
  });
}

function merged(older: unknown, newer: unknown): unknown {
  if (!isRecord(older) || !isRecord(newer)) return newer;
  return {
    ...older,
    ...Object.fromEntries(Object.entries(newer).map(([key, value]) => [key, merged(older[key], value)])),
  };
}
