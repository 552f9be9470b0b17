import type { ImportCounts } from './importCounts.ts';
import type { LogReader } from './reader.ts';
import { readResult } from './results.ts';
import type { LoggedRollout } from './rollout.ts';
import type { LogRow } from './row.ts';
import { isTrace, readTraces } from './traces.ts';

/** Reader of logs of verifiers and prime-rl: results.jsonl (results.ts) or traces.jsonl (traces.ts), line by line. */
export class VerifiersReader implements LogReader {
  constructor(private readonly counts: ImportCounts) {}

  /** Reports messages about a row, which the second pass does not repeat. */
  index(row: LogRow): LoggedRollout[] {
    return read(row, this.counts);
  }

  rollouts(row: LogRow): LoggedRollout[] {
    return read(row);
  }
}

function read(row: LogRow, counts?: ImportCounts): LoggedRollout[] {
  return isTrace(row) ? readTraces(row, counts) : [readResult(row, counts)];
}
