import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { LogFormat } from '../../src/rollouts/import/rollout.ts';
import { turnwise } from '../unit/cli/cliTerminal.ts';
import { fixture } from '../unit/rollouts/import/importLogs.ts';
import { begin, CaseFolder } from './caseFolder.ts';
import type { Fuzzer } from './fuzzer.ts';
import { type Change, changed, changes, type Damage, damaged, damages, flips } from './mutations.ts';

/** A log in the form in which a trainer writes it: rows, or one table. */
interface Log {
  readonly from: LogFormat;
  readonly path: string;
  readonly rows: boolean;
  readonly flags?: readonly string[];
}

const REWARDS = ['--reward', 'accuracy_reward', '--reward', 'format_reward'];
const LOGS: readonly Log[] = [
  { from: 'trl', path: 'trl/completions_00010.jsonl', rows: true, flags: REWARDS },
  { from: 'trl', path: 'trl/completions_10.table.json', rows: false, flags: REWARDS },
  { from: 'trl', path: 'trl/conversational.json', rows: false },
  { from: 'verl', path: 'verl/10.jsonl', rows: true },
  { from: 'verl', path: 'verl/v1-12.jsonl', rows: true },
  { from: 'verifiers', path: 'verifiers/results.jsonl', rows: true },
  { from: 'verifiers', path: 'verifiers/results-0.1.5.jsonl', rows: true },
  { from: 'verifiers', path: 'verifiers/trajectory.jsonl', rows: true },
  { from: 'verifiers', path: 'verifiers/traces.jsonl', rows: true },
  { from: 'verifiers', path: 'verifiers/traces-0.2.jsonl', rows: true },
  { from: 'swe-agent', path: 'swe-agent/retries/sum-2.traj', rows: false },
];

interface LogCase {
  readonly log: Log;
  readonly packed: boolean;
  readonly changes: readonly Change[];
  readonly damages: readonly Damage[];
}

const folder = new CaseFolder();

/** Imports a log and asserts that `credit` accepts the written file of groups. */
async function importAndCredit(log: Pick<Log, 'from' | 'flags'>, name: string, bytes: Uint8Array): Promise<void> {
  folder.clear();
  const input = folder.file(name, bytes);
  const flags = ['--from', log.from, ...(log.flags ?? []), '--out', folder.path('groups.jsonl')];
  if (!(await folder.accepts(['import', ...flags, input], name, begin(bytes)))) return;
  assert.deepEqual(folder.listing(), ['groups.jsonl', name].sort(), begin(bytes));
  const groups = folder.read('groups.jsonl');
  const credit = ['credit', '--device', 'cpu', '--rule', 'grpo-or', folder.path('groups.jsonl')];
  const { code, err } = await turnwise(credit);
  // A log may contain numbers whose squares overflow.
  const beyond = code === 2 && /too large for/.test(err);
  assert(code === 0 || beyond, `${begin(bytes)}\nbecame\n${begin(groups)}\nand credit reported\n${err}`);
}

/** Fuzzer of logs of trainers: `import` reads them, and `credit` reads its output. */
export const importFiles: Fuzzer<LogCase> = {
  name: 'logs',
  about:
    'logs of TRL, verl, verifiers and SWE-agent, plain and packed, through import, and the resulting groups through credit',
  caseCount: 40,
  cases: fc.record({ log: fc.constantFrom(...LOGS), packed: fc.boolean(), changes: changes(), damages: damages() }),
  async checkCase({ log, packed, changes, damages }) {
    const text = new TextDecoder().decode(fixture(log.path));
    const completeRows = log.rows
      ? text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : JSON.parse(text);
    const value = changed(completeRows, changes);
    const rows = log.rows && Array.isArray(value) ? value : [value];
    const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const name = log.from === 'swe-agent' ? 'log.traj' : log.rows ? 'log.jsonl' : 'log.json';
    await importAndCredit(log, name, damaged(packed ? gzipSync(bytes) : bytes, damages));
  },
};

interface ParquetCase {
  readonly codec: 'snappy' | 'zstd';
  readonly damages: readonly Damage[];
}

/** Fuzzer of Parquet tables with flipped bits or other damage. */
export const parquetFiles: Fuzzer<ParquetCase> = {
  name: 'parquet',
  about: "TRL's Parquet tables with a few bits flipped, or damaged otherwise, through import",
  caseCount: 40,
  cases: fc.record({
    codec: fc.constantFrom<ParquetCase['codec']>('snappy', 'zstd'),
    damages: fc.oneof(flips(4), damages()),
  }),
  async checkCase({ codec, damages }) {
    const unheard: unknown[] = [];
    const note = (error: unknown) => unheard.push(error);
    process.on('unhandledRejection', note);
    try {
      const bytes = damaged(fixture(`trl/completions_00010.${codec}.parquet`), damages);
      await importAndCredit({ from: 'trl', flags: REWARDS }, 'table.parquet', bytes);
      // Unhandled rejections are reported at the end of an iteration of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(unheard, []);
    } finally {
      process.off('unhandledRejection', note);
    }
  },
};
