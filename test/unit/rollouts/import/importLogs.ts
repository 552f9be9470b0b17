import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Group } from '../../../../src/rollouts/forest.ts';
import { ImportCounts } from '../../../../src/rollouts/import/importCounts.ts';
import { importLog } from '../../../../src/rollouts/import/importLog.ts';
import type { LogFile } from '../../../../src/rollouts/import/logFile.ts';
import type { LogFormat } from '../../../../src/rollouts/import/rollout.ts';
import { sqliteTable } from '../../../../src/rollouts/import/sqlite.ts';
import type { SignalOptions } from '../../../../src/rollouts/import/turnSignals.ts';
import { readGroups, writeGroups } from '../../../../src/rollouts/jsonLines.ts';
import { root } from '../../../files.ts';

/** Returns a log file in memory. */
export function logOf(content: string | Uint8Array | ArrayBuffer, name = 'log'): LogFile {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  return { name, byteLength: bytes.length, slice: async (start, end) => bytes.slice(start, end).buffer };
}

/** Returns rows as JSON Lines. */
export function linesOf(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** Returns the bytes of a fixture. */
export function fixture(path: string): Uint8Array {
  return readFileSync(join(root, 'test/fixtures/import', path));
}

/** Returns the rows of a fixture in JSON Lines. */
export function fixtureRows(path: string): Record<string, unknown>[] {
  return new TextDecoder()
    .decode(fixture(path))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Imports a log, writes its groups as JSON Lines and returns the groups that are read from this text. */
export async function imported(
  content: string | Uint8Array | ArrayBuffer,
  format: LogFormat,
  weights?: ReadonlyMap<string, number>,
  signals?: SignalOptions,
): Promise<{ groups: Group[]; notes: string[] }> {
  const counter = new ImportCounts();
  const groups: Group[] = [];
  for await (const group of importLog(logOf(content), format, {
    counts: counter,
    ids: new Set(),
    sqlite: sqliteTable,
    weights,
    signals,
  }))
    groups.push(group);
  return { groups: readGroups(writeGroups(groups)), notes: counter.lines() };
}
