import type { Group } from './forest.ts';
import { readGroup } from './jsonLines.ts';
import { textLines } from './lineStream.ts';

/** Groups that are worked on together, with where they came from. */
export interface GroupBatch {
  readonly groups: readonly Group[];
  /** [groups]: the line of each, from 1. */
  readonly lines: readonly number[];
}

/** Limits for the sums over the groups of one batch; a single group that is larger makes a separate batch. */
export interface BatchLimits {
  readonly turns: number;
  /** Tokens that the policy wrote. */
  readonly tokens: number;
  /** Results of unit tests, over all turns. */
  readonly results: number;
  /** Size of the lines in the file: unknown fields are retained, and may be long. */
  readonly bytes: number;
}

/**
 * Reads JSON Lines as batches of groups, in the file's order, with one batch in memory at a time. Groups that were read
 * before a wrong line come as a batch first, so that errors in this batch can be reported first.
 * @throws {ForestError} naming line, group, turn and field of the first error
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
