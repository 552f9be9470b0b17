import type { Group } from './forest.ts';
import { readGroup } from './jsonLines.ts';
import { textLines } from './lineStream.ts';

/** Groups that are processed together, with their line numbers. */
export interface GroupBatch {
  readonly groups: readonly Group[];
  /** [groups]: line of each group in the file, from 1. */
  readonly lines: readonly number[];
}

/** Limits for the sums over the groups of one batch. A single group above a limit is a separate batch. */
export interface BatchLimits {
  readonly turns: number;
  /** Number of tokens that the policy wrote. */
  readonly tokens: number;
  /** Number of unit test results over all turns. */
  readonly results: number;
  /** Size of the lines in the file [bytes]. Unknown fields are retained and can be long. */
  readonly bytes: number;
}

/**
 * Reads JSON Lines as batches of groups, in the order of the file. Memory contains one batch at a time. Groups before a
 * wrong line are yielded before the error is thrown, so the caller can report their errors first.
 * @throws {ForestError} that names the line, group, turn and field of the first error
 */
export async function* groupBatches(
  chunks: AsyncIterable<Uint8Array>,
  limits: BatchLimits,
): AsyncGenerator<GroupBatch> {
  const empty = () => ({ groups: [] as Group[], lines: [] as number[], size: nothing() });
  let batch = empty();
  try {
    for await (const { text, number, bytes } of textLines(chunks)) {
      const group = readGroup(text, number);
      const size = sizeOf(group, bytes);
      if (batch.groups.length > 0 && exceeds(sum(batch.size, size), limits)) {
        yield batch;
        batch = empty();
      }
      batch.groups.push(group);
      batch.lines.push(number);
      batch.size = sum(batch.size, size);
    }
  } catch (error) {
    if (batch.groups.length > 0) yield batch;
    throw error;
  }
  if (batch.groups.length > 0) yield batch;
}

const KEYS = ['turns', 'tokens', 'results', 'bytes'] as const satisfies readonly (keyof BatchLimits)[];

function nothing(): BatchLimits {
  return { turns: 0, tokens: 0, results: 0, bytes: 0 };
}

function sizeOf({ turns }: Group, bytes: number): BatchLimits {
  let [tokens, results] = [0, 0];
  for (const turn of turns) {
    tokens += turn.tokens ?? 0;
    results += turn.passed?.length ?? 0;
  }
  return { turns: turns.length, tokens, results, bytes };
}

function sum(a: BatchLimits, b: BatchLimits): BatchLimits {
  return {
    turns: a.turns + b.turns,
    tokens: a.tokens + b.tokens,
    results: a.results + b.results,
    bytes: a.bytes + b.bytes,
  };
}

function exceeds(size: BatchLimits, limits: BatchLimits): boolean {
  return KEYS.some((key) => size[key] > limits[key]);
}
