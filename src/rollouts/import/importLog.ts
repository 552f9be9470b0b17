import { ForestError, type Group } from '../forest.ts';
import { readGroup, TOO_DEEP, textLines, tooDeep } from '../jsonLines.ts';
import { buildGroup } from './buildGroup.ts';
import { firstColumns, formatOf, isGroup, openRows, type ReadDatabase, readerOf } from './formats.ts';
import type { ImportCounts } from './importCounts.ts';
import { CachedRows, chunksOf, type LogFile, type RowLocation, type RowSource } from './logFile.ts';
import type { LogFormat, LoggedRollout, LogReader, RewardWeights } from './rollout.ts';
import { ImportError, type LogRow } from './row.ts';
import { AnnotatedRows } from './traces.ts';
import { type SignalOptions, TurnSignals } from './turnSignals.ts';
import { joinRows } from './verl.ts';

/** Options and results that all files of an import share. */
export interface ImportContext {
  /** Weights of the reward columns of TRL. */
  readonly weights?: RewardWeights | undefined;
  readonly counts: ImportCounts;
  readonly sqlite?: ReadDatabase | undefined;
  /** Ids of the groups so far. */
  readonly ids: Set<string>;
  readonly signals?: SignalOptions | undefined;
  /** True if files of groups are accepted like logs. */
  readonly groups?: boolean | undefined;
}

/** Returns the context of an import without options. */
export function contextOf(report: ImportCounts): ImportContext {
  return { counts: report, ids: new Set() };
}

/** Maximum size of a file whose rows are cached between the two passes [bytes]. */
const SMALL_FILE = 24 << 20;

/** Position of a rollout: its row, and its index among the rollouts of the row. */
interface Entry {
  readonly at: RowLocation;
  readonly index: number;
}

/**
 * Reads the log of a trainer as groups, in the order of their first rollouts. The first pass checks each row and
 * records the positions of rollouts by group; the second pass reads group by group. So rollouts of a group can be
 * anywhere in the file. Memory contains the positions of all rollouts and the rollouts of one group. Small files,
 * Parquet and JSON tables are in memory completely.
 * @param requested format of the log; if undefined, it is detected from the columns of the first row
 * @throws {ImportError | ForestError} that names the file, line or row, and column of the first error. Errors of single
 *   rows are thrown before the first group is yielded
 */
export async function* importLog(
  file: LogFile,
  requested: LogFormat | undefined,
  context: ImportContext,
): AsyncGenerator<Group> {
  for (const note of file.notes ?? []) context.counts.addNote(`${file.name}: ${note}`);
  const rows = await openRows(file, requested, context.sqlite);
  const annotated = file.annotations ? new AnnotatedRows(rows, file.annotations) : rows;
  const source = isSmall(file) ? new CachedRows(annotated) : annotated;
  const first = await firstColumns(file, source);
  if (requested === undefined && isGroup(first)) {
    yield* groupsIn(file, context);
    return;
  }
  const format = formatOf(file, first, requested);
  if (context.weights && format !== 'trl') {
    throw new ImportError({ file: file.name }, `--reward: only logs of trl need it; this is a log of ${format}`);
  }
  const reader = readerOf(format, source, context.counts, context.weights);
  const signals = new TurnSignals(
    { ...context.signals, outcome: context.signals?.outcome ?? reader.outcome },
    context.counts,
  );
  const groups = await indexRows(file, source, { reader, signals, counts: context.counts });
  for (const { step, name, entries } of groups) {
    const rollouts: LoggedRollout[] = [];
    let row: { readonly at: RowLocation; readonly rollouts: readonly LoggedRollout[] } | undefined;
    for (const { at, index } of entries) {
      if (row?.at !== at) row = { at, rollouts: reader.rollouts(await source.at(at)) };
      rollouts.push(row.rollouts[index]);
    }
    reader.inspect?.(rollouts);
    const prepared = (format === 'verl' ? joinRows(rollouts, name, context.counts) : rollouts).map((rollout) =>
      signals.apply(rollout),
    );
    const id = freeId(idOf(step, name), context.ids);
    const group = buildGroup({ id, step }, prepared, context.counts, signals.outcomeIsTotal);
    if (group) yield group;
  }
  locateErrors(file, () => reader.finish?.());
}

/** Reads a file of groups. @throws {ImportError | ForestError} */
async function* groupsIn(
  file: LogFile,
  { counts, weights, signals = {}, groups }: ImportContext,
): AsyncGenerator<Group> {
  const refuse = (problem: string): never => {
    throw new ImportError({ file: file.name }, problem);
  };
  if (!groups) refuse('a file of groups already: `credit` and `summary` read it as it is');
  const { turnRewards, cut, outcome } = signals;
  const flags = { reward: weights, 'turn-rewards': turnRewards, cut, outcome };
  const [flag] = Object.entries(flags).find(([, value]) => value !== undefined) ?? [];
  if (flag) refuse(`--${flag}: only logs need it; this is a file of groups`);
  try {
    for await (const { text, number } of textLines(chunksOf(file))) {
      const group = readGroup(text, number);
      counts.read(group);
      yield group;
    }
  } catch (error) {
    throw error instanceof ForestError ? error.of(file.name) : error;
  }
}

interface IndexedGroup {
  readonly step: number | undefined;
  readonly name: string;
  readonly entries: Entry[];
}

async function indexRows(
  file: LogFile,
  source: RowSource,
  { reader, signals, counts }: { reader: LogReader; signals: TurnSignals; counts: ImportCounts },
): Promise<IndexedGroup[]> {
  const groups = new Map<string, IndexedGroup>();
  const inStep = new Map<number | undefined, number>();
  let rows = 0;
  // Rollouts of a group are often adjacent, and a digest takes longer than a comparison of two strings.
  let last = { key: '', short: '' };
  for await (const { row, at, notNumbers } of source.rows()) {
    rows++;
    checkDepth(row);
    counts.note('values that are NaN or infinite, read as null', notNumbers);
    for (const [index, entry] of reader.index(row).entries()) {
      const { key, step = file.step, name } = entry;
      if (entry.step === undefined && file.step !== undefined) counts.stepOfPath(file.name, file.step);
      signals.see(entry);
      if (key !== last.key) last = { key, short: isSmall(file) ? key : await shortKey(key) };
      const { short } = last;
      let group = groups.get(short);
      if (!group) {
        const number = inStep.get(step) ?? 0;
        inStep.set(step, number + 1);
        group = { step, name: name ?? `prompt-${number}`, entries: [] };
        groups.set(short, group);
      }
      group.entries.push({ at, index });
    }
  }
  if (rows === 0) throw new ImportError({ file: file.name }, 'has no rows');
  locateErrors(file, () => reader.settle?.());
  if (reader.settle && signals.hasRewards) {
    // Rewards of rollouts are sums of columns, which are determined in the first pass.
    for await (const { row } of source.rows())
      for (const rollout of reader.rollouts(row)) signals.compare(signals.apply(rollout));
  }
  locateErrors(file, () => signals.settle());
  counts.rows += rows;
  return [...groups.values()];
}

/** Checks the depth of columns. @throws {ImportError} that names a column too deep for JSON.stringify */
function checkDepth({ location, columns }: LogRow): void {
  const column = Object.keys(columns).find((name) => tooDeep(columns[name]));
  if (column !== undefined) throw new ImportError({ ...location, column }, TOO_DEEP);
}

/** Runs `act` and adds the name of the file to its errors. */
function locateErrors(file: LogFile, act: () => void): void {
  try {
    act();
  } catch (error) {
    throw error instanceof ImportError ? error.at({ file: file.name }) : error;
  }
}

/** Returns true if the rows of a file and the keys of its groups are cached. */
function isSmall({ byteLength }: LogFile): boolean {
  return byteLength <= SMALL_FILE;
}

/** Replaces a long key by its SHA-256, because keys contain complete prompts and a large file has many keys. */
async function shortKey(key: string): Promise<string> {
  if (key.length <= 128) return key;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return [...new Uint8Array(digest)].map((byte) => String.fromCharCode(byte)).join('');
}

/** Returns the id of a group, for example "step-10/prompt-0" or "example-3". */
function idOf(step: number | undefined, name: string): string {
  return step === undefined ? name : `step-${step}/${name}`;
}

/** Returns an unused id. Files of two runs can have the same step or example, so a used id gets a number. */
function freeId(id: string, used: Set<string>): string {
  let free = id;
  for (let number = 2; used.has(free); number++) free = `${id}-${number}`;
  used.add(free);
  return free;
}
