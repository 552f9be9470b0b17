import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { logsInFolder } from '../../../../src/rollouts/import/logPaths.ts';
import { root } from '../../../files.ts';
import { turnwise } from '../../cli/cliTerminal.ts';
import { fixture, imported, linesOf } from './importLogs.ts';

const SUMMARIES = 'tinker-cookbook/iteration_000003/train_rollout_summaries.jsonl';
const DATABASE = join(root, 'test/fixtures/import/trackio/search-agent.db');

test('tinker-cookbook: rollout summaries become groups with turn rewards, tokens and the total reward', async () => {
  const { groups, notes } = await imported(fixture(SUMMARIES), 'tinker-cookbook');
  expect(groups.map(({ id, step }) => [id, step])).toEqual([
    ['step-3/group-0', 3],
    ['step-3/group-1', 3],
  ]);
  const [{ turns, outcomeIsTotal, tags }, second] = groups;
  expect(turns.map(({ parent }) => parent)).toEqual([-1, 0, -1, -1, 3, 4]);
  expect(turns.map(({ reward }) => reward)).toEqual([0.1, 0, 0, 0.1, 0.1, 0]);
  expect(turns.map(({ tokens }) => tokens)).toEqual([5, 3, 4, 6, 6, 2]);
  expect(turns.map(({ outcome }) => outcome)).toEqual([undefined, 1.1, 0, undefined, undefined, 0.2]);
  expect({ outcomeIsTotal, tags }).toEqual({ outcomeIsTotal: true, tags: ['search'] });
  expect(turns[1]).toMatchObject({ stop_reason: 'stop', correct: 1, final_reward: 1, ob_len: 28 });
  expect(second.turns[0].truncated).toBe(true);
  expect(notes).toContain('rollouts without texts: rollout summaries have none: 5');
});

test('tinker-cookbook: in the folder of a run only the rollout summaries are logs', () => {
  const run = 'run/iteration_000003/';
  const files = ['run/metrics.jsonl', 'run/config.json', `${run}train_logtree.json`, 'other/10.jsonl'];
  const summaries = [`${run}train_rollout_summaries.jsonl`, 'run/iteration_000004/eval_test_rollout_summaries.jsonl'];
  expect(logsInFolder([...files, ...summaries])).toEqual(['other/10.jsonl', ...summaries]);
});

test('Trackio: traces of TRL in a SQLite database become a group by group_id, with components and turns', async () => {
  const { code, out, err } = await turnwise(`import ${DATABASE}`);
  expect({ code, lines: out.trim().split('\n').length }).toEqual({ code: 0, lines: 1 });
  const group = JSON.parse(out);
  expect(group).toMatchObject({ id: 'step-3/group-7', step: 3, run_name: 'brave-tern-0', key: 'rollouts' });
  expect(group.turns.map(({ parent }: { parent: number }) => parent)).toEqual([-1, 0, -1, -1, 3, 4, -1]);
  expect(group.turns[0]).toMatchObject({ action: 'search(query="Larnwick river")', state: 'start' });
  expect(group.turns[1]).toMatchObject({ text: 'The Osk.', outcome: 1, components: { correct: 1, format: 0 } });
  expect(group.turns[6]).toMatchObject({ outcome: 0, components: { correct: 0 }, advantage: -0.8660254 });
  expect(err).toContain('4 rows read; 1 group, 4 rollouts and 7 turns made');
});

test('Trackio: the Parquet export of traces has the group of the database', async () => {
  const { groups } = await imported(fixture('trackio/search-agent.db'), 'trackio');
  const { default: load } = await import('sql.js/dist/sql-wasm-inline.js');
  const { Database } = await load();
  const bytes = fixture('trackio/search-agent.db').slice();
  bytes.fill(1, 18, 20);
  const [{ columns, values }] = new Database(bytes).exec('SELECT * FROM traces');
  const text = (value: unknown) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value);
  const columnData = columns.map((name, at) => ({
    name,
    data: values.map((row) => text(row[at])) as (string | number | null)[],
    type: typeof values[0][at] === 'number' ? ('DOUBLE' as const) : ('STRING' as const),
    nullable: true,
  }));
  const exported = await imported(parquetWriteBuffer({ columnData }), 'trackio');
  expect(exported.groups).toEqual(groups);
});

test('Trackio: traces without a group_id are grouped by their first messages', async () => {
  const trace = (question: string, answer: string, reward: number) => ({
    ...{ run_name: 'a', run_id: 'r', step: 1, key: 'traces', trace_index: 0 },
    messages: JSON.stringify([
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ]),
    metadata: JSON.stringify({ reward }),
  });
  const rows = [trace('1+1', '2', 1), trace('1+2', '3', 1), trace('1+1', '3', 0)];
  const { groups, notes } = await imported(linesOf(rows), 'trackio');
  expect(groups.map(({ turns }) => turns.map(({ outcome }) => outcome))).toEqual([[1, 0], [1]]);
  expect(notes).toContain('traces without a group_id, grouped by their first messages: 3');
});

test('Trackio: a metadata text that is not JSON is an error with its row and column', async () => {
  const row = { run_name: 'a', trace_index: 0, messages: '[]', metadata: '{' };
  await expect(imported(linesOf([row]), 'trackio')).rejects.toThrow('log, line 1, column "metadata": not JSON');
});

test('SQLite: a foreign database, a damaged database and rows in a write-ahead log are errors', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
  try {
    const copy = join(folder, 'copy.db');
    copyFileSync(DATABASE, copy);
    writeFileSync(`${copy}-wal`, 'rows');
    const pending = await turnwise(`import ${copy}`);
    expect(pending.err).toContain('its last rows are in');
    expect(pending.err).toContain('PRAGMA wal_checkpoint');
    writeFileSync(`${copy}-wal`, '');
    expect((await turnwise(`import ${copy}`)).code).toBe(0);
    const damaged = fixture('trackio/search-agent.db').slice().fill(0xff, 100, 1024);
    await expect(imported(damaged, 'trackio')).rejects.toThrow('not a SQLite database that can be read');
    const { default: load } = await import('sql.js/dist/sql-wasm-inline.js');
    const { Database } = await load();
    const empty = new Database();
    empty.run('CREATE TABLE notes (text)');
    await expect(imported(empty.export(), 'trackio')).rejects.toThrow(
      'a SQLite database without the table traces of Trackio; it has notes',
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the error for an unknown log format names the nearest format and its missing columns', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unknown-'));
  try {
    const file = join(folder, 'log.jsonl');
    writeFileSync(file, linesOf([{ task_id: 1, reward: 0, messages: [] }]));
    const { code, err } = await turnwise(`import ${file}`);
    expect(code).toBe(2);
    expect(err).toContain('The nearest format is tau-bench, which also has traj.');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
