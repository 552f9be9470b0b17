import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Group } from '../../../../src/rollouts/forest.ts';
import type { LogFormat } from '../../../../src/rollouts/import/formatNames.ts';
import { ImportCounts } from '../../../../src/rollouts/import/importCounts.ts';
import { importLog } from '../../../../src/rollouts/import/importLog.ts';
import type { LogFile } from '../../../../src/rollouts/import/logFile.ts';
import { sqliteTable } from '../../../../src/rollouts/import/sqlite.ts';
import type { SignalOptions } from '../../../../src/rollouts/import/turnSignals.ts';
import { readGroups, writeGroups } from '../../../../src/rollouts/jsonLines.ts';
import { root } from '../../../files.ts';

/** A log in memory. */
export function logOf(content: string | Uint8Array | ArrayBuffer, name = 'log'): LogFile {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  return { name, byteLength: bytes.length, slice: async (start, end) => bytes.slice(start, end).buffer };
}

/** Rows as a line file. */
export function linesOf(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** The bytes of a fixture. */
export function fixture(path: string): Uint8Array {
  return readFileSync(join(root, 'test/fixtures/import', path));
}

/** The rows of a line file among the fixtures. */
export function fixtureRows(path: string): Record<string, unknown>[] {
  return new TextDecoder()
    .decode(fixture(path))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Imports a log and reads what was written back, as any reader of the file would. */
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
