import type { ImportCounts } from './importCounts.ts';
import type { LogReader } from './reader.ts';
import { readResult } from './results.ts';
import type { LoggedRollout } from './rollout.ts';
import type { LogRow } from './row.ts';
import { isTrace, readTraces } from './traces.ts';

/** Reads what verifiers and prime-rl write: results.jsonl (results.ts) or traces.jsonl (traces.ts), line by line. */
export class VerifiersReader implements LogReader {
  constructor(private readonly counts: ImportCounts) {}

  /** Messages about a row are reported here, once. */
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
