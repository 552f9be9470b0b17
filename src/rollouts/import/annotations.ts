import { LineSource, type LogFile, type RowLocation, type RowSource } from './logFile.ts';
import { type Columns, isRecord, type LogRow } from './row.ts';

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
