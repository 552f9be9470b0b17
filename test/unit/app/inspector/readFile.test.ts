import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type LogWorker, nameOf, readRolloutFiles } from '../../../../src/app/inspector/rolloutFile.ts';
import { FEEDBACK_TREE, TESTED } from '../../../../src/credit/explanation/examples.ts';
import { firstToRead } from '../../../../src/diagnosis/diagnosis.ts';
import { RunDiagnosis } from '../../../../src/diagnosis/runDiagnosis.ts';
import { type LogMessage, type LogPort, type LogRequest, serveLogs } from '../../../../src/diagnosis/serveLogs.ts';
import type { Group } from '../../../../src/rollouts/forest.ts';
import type { ImportSettings, UserFile } from '../../../../src/rollouts/import/userFiles.ts';
import { writeGroups } from '../../../../src/rollouts/jsonLines.ts';
import { root } from '../../../files.ts';

/** Returns the page's log worker, run in this thread. */
function worker(): LogWorker & { ended: boolean } {
  const messages: ((event: MessageEvent<LogMessage>) => void)[] = [];
  const requests: Parameters<LogPort['addEventListener']>[1][] = [];
  serveLogs({
    postMessage: (data) => {
      for (const listen of messages) listen({ data: structuredClone(data) } as MessageEvent<LogMessage>);
    },
    addEventListener: (_, listen) => requests.push(listen),
  });
  const fake = {
    ended: false,
    postMessage: (data: LogRequest) => {
      for (const listen of requests) listen({ data: structuredClone(data) } as MessageEvent<LogRequest>);
    },
    addEventListener: (type: string, listen: (event: never) => void) => {
      if (type === 'message') messages.push(listen as (event: MessageEvent<LogMessage>) => void);
    },
    terminate: () => {
      fake.ended = true;
    },
  };
  return fake;
}

const fileOf = (path: string, ...parts: BlobPart[]): UserFile => ({ path, file: new Blob(parts) });
const fixture = (path: string) => new Uint8Array(readFileSync(join(root, 'test/fixtures', path)));
const read = (...files: readonly UserFile[]) =>
  readRolloutFiles(files, new AbortController().signal, undefined, worker());

describe('a file of groups', () => {
  const groups: readonly Group[] = [FEEDBACK_TREE, { ...TESTED, note: { note: [1, 'ü'] } }];

  test('a file of groups is read to its end with unknown fields, regardless of its name', async () => {
    const file = fileOf('rollouts.txt', `\n${writeGroups(groups)}`);
    const { signals, findings, ...rest } = await read(file);
    expect(rest).toEqual({ name: 'rollouts.txt', groups, report: [] });
    expect([signals?.length, findings]).toEqual([2, []]);
  });

  test('a missing id in the first group is reported as an error of the group, not of the format', async () => {
    await expect(read(fileOf('bad.jsonl', '{"turns": []}\n'))).rejects.toThrow('line 1, field "id": is missing');
  });

  test.each([
    ['{"id":"b","turns":[{"parent":0,"reward":1}]}', 'line 3, group "b", turn 0, field "parent": 0 is not -1'],
    [
      '{"id":"b","turns":[{"parent":-1,"reward":"1"}]}',
      'line 3, group "b", turn 0, field "reward": "1" is not a finite number',
    ],
    ['{"id":"b"', 'line 3: not JSON'],
    ['[]', 'line 3: a group must be an object, not []'],
  ])('an error in a file of groups is reported with its position: %s', async (line, problem) => {
    await expect(read(fileOf('a.jsonl', `${writeGroups(groups)}${line}\n`))).rejects.toThrow(`a.jsonl, ${problem}`);
  });

  test('a file without groups or in UTF-16 is rejected', async () => {
    await expect(read(fileOf('a.jsonl', ' \n\n'))).rejects.toThrow('a.jsonl: has no rows');
    await expect(read(fileOf('a.jsonl', Uint8Array.of(0xff, 0xfe, 0x7b, 0)))).rejects.toThrow('line 1: UTF-16');
  });
});

describe('logs', () => {
  const verl = fixture('import/verl/10.jsonl');

  test('a trainer log is converted to groups, with a report', async () => {
    const { groups, report } = await read(fileOf('10.jsonl', verl));
    expect(groups.map(({ id }) => id)).toEqual(['step-10/prompt-0', 'step-10/prompt-1']);
    expect(report).toContain('4 rows read; 2 groups, 4 rollouts and 7 turns made');
  });

  test.each([
    ['import/trl/completions_00010.snappy.parquet', 2],
    ['import/verifiers/traces.jsonl', 1],
    ['field/07-json-array-of-trials/shop.json', 1],
  ])('a log in any supported format is read: %s', async (path, count) => {
    expect((await read(fileOf(path, fixture(path)))).groups).toHaveLength(count);
  });

  test('a gzip-compressed log is read as the same groups as the plain log', async () => {
    const [plain, packed] = [await read(fileOf('10.jsonl', verl)), await read(fileOf('10.jsonl.gz', gzipSync(verl)))];
    expect(packed.groups).toEqual(plain.groups);
  });

  test('logs of a folder are read in numeric order with steps from paths, and other files are ignored', async () => {
    const row = '{"input": "q", "output": "a", "score": 1}\n';
    const files = ['run/10.jsonl', 'run/9.jsonl', 'run/config.yaml', 'run/notes.txt'].map((path) => fileOf(path, row));
    const { name, groups, report } = await read(...files);
    expect([name, ...groups.map(({ step }) => step)]).toEqual(['run', 9, 10]);
    expect(report).toContain('step 9 is the number in the path run/9.jsonl; likewise in 1 more file');
    await expect(read(...files.slice(2))).rejects.toThrow('there is no .jsonl, .json, .parquet or .traj file');
  });

  test('the groups of a prime-rl run are read from its stream of chunks', async () => {
    const names = [
      'stream/00000.jsonl.zst',
      'stream/00001.jsonl',
      'stream.index.jsonl',
      'annotations/orch/00000.jsonl',
    ];
    const files = names.map((name) => `prime-rl/monitors/file/traces/${name}`);
    const { groups } = await read(...files.map((path) => fileOf(path, fixture(`import/${path}`))));
    const expected = await read(fileOf('traces.jsonl', fixture('import/verifiers/traces.jsonl')));
    expect(groups).toEqual(expected.groups);
  });

  test('the groups of a SWE-agent run have outcomes from the evaluation of the run', async () => {
    const files = ['results.json', 'preds.json', 'sum-1/sum-1.traj'].map((name) => `run-1/${name}`);
    const { groups } = await read(...files.map((path) => fileOf(path, fixture(`import/swe-agent/${path}`))));
    expect(groups.map(({ turns }) => turns.at(-1)?.outcome)).toEqual([1]);
  });
});

describe('the worker that reads logs', () => {
  test('the log worker is terminated after it reads a file, also after an error', async () => {
    for (const text of [writeGroups([FEEDBACK_TREE]), '{']) {
      const logs = worker();
      const { signal } = new AbortController();
      await readRolloutFiles([fileOf('a.jsonl', text)], signal, undefined, logs).catch(() => {});
      expect(logs.ended).toBe(true);
    }
  });

  test('the log worker is terminated when other files replace the current files', async () => {
    const logs = worker();
    const stop = new AbortController();
    const reading = readRolloutFiles([fileOf('a.jsonl', writeGroups([FEEDBACK_TREE]))], stop.signal, undefined, logs);
    stop.abort(new Error('replaced'));
    await expect(reading).rejects.toThrow('replaced');
    expect(logs.ended).toBe(true);
  });

  test('the log worker returns the findings of a log and the signals of each group in file order', async () => {
    const paths = Array.from({ length: 10 }, (_, index) => `field/11-the-tool-dies/${index + 1}.jsonl`);
    const { groups, signals = [], findings = [] } = await read(...paths.map((path) => fileOf(path, fixture(path))));
    const diagnosis = new RunDiagnosis();
    expect(signals).toEqual(groups.map((group) => diagnosis.see(group)));
    expect(findings).toEqual(diagnosis.result().findings);
    expect(findings.map(({ kind }) => kind)).toEqual(['tool-given-up']);
    expect(groups[firstToRead(signals)].id).toBe(diagnosis.result().groupsToRead[0].id);
  });

  test('the log worker sends the groups of a large file in several messages', async () => {
    const turns = Array.from({ length: 500 }, () => ({ parent: -1, reward: 0 }));
    const groups = Array.from({ length: 10 }, (_, index) => ({ id: `g${index}`, turns }));
    const counts: number[] = [];
    const files = [fileOf('a.jsonl', writeGroups(groups))];
    await readRolloutFiles(files, new AbortController().signal, (count) => counts.push(count), worker());
    expect(counts).toEqual([4, 8, 10]);
  });
});

test.each([
  [['a.jsonl'], 'a.jsonl'],
  [['run/a.jsonl'], 'run/a.jsonl'],
  [['run/a.jsonl', 'run/b/c.jsonl'], 'run'],
  [['a.jsonl', 'b.jsonl'], 'a.jsonl, …'],
  [['a/b.jsonl', 'c/d.jsonl'], 'a/b.jsonl, …'],
])('the files %j have the name %s', (paths, name) => {
  expect(nameOf(paths.map((path) => fileOf(path)))).toBe(name);
});

test('a SQLite database is rejected with an error that names the terminal program', async () => {
  await expect(read(fileOf('search-agent.db', fixture('import/trackio/search-agent.db')))).rejects.toThrow(
    'search-agent.db: a SQLite database, which `import` of the terminal program reads',
  );
});

describe('settings of an import', () => {
  const readWith = (settings: ImportSettings, ...files: readonly UserFile[]) =>
    readRolloutFiles(files, new AbortController().signal, undefined, worker(), settings);
  const scores = fileOf('20.jsonl', fixture('field/01-verl-turn-scores/20.jsonl'));
  const rewards = ({ groups }: { groups: readonly Group[] }) => groups[0].turns.map(({ reward }) => reward);

  test('turn rewards are imported from the selected column', async () => {
    const plain = await read(scores);
    expect(new Set(rewards(plain))).toEqual(new Set([0]));
    expect(plain.report?.join()).toContain('column turn_scores could hold rewards of turns');
    const named = await readWith({ turnRewards: 'turn_scores' }, scores);
    expect(rewards(named).slice(0, 4)).toEqual([0.3, 0, -0.1, 0]);
  });

  test('selected tags cut imported text into turns, and the setting `none` leaves the text uncut', async () => {
    const file = fileOf('5.jsonl', fixture('field/02-search-tags/5.jsonl'));
    const turns = async (cut: string) => (await readWith({ cut }, file)).groups[0].turns.length;
    expect(await turns('</search>..<information>')).toBe(6);
    expect(await turns('none')).toBe(3);
  });

  test('the outcome setting determines if the imported reward of a rollout contains its turn rewards', async () => {
    const file = fileOf('results.jsonl', fixture('field/05-turn-rewards-sum-to-the-reward/results.jsonl'));
    const total = async (outcome: string) => (await readWith({ outcome }, file)).groups[0].outcomeIsTotal;
    expect([await total('total'), await total('apart'), await total('')]).toEqual([true, false, true]);
  });

  test.each([
    [{ from: 'other' }, 'Trainer: "other" is not one of trl, verl'],
    [{ cut: 'search' }, 'Tags: "search" is not </TAG>..<ANSWER>, or none'],
    [{ outcome: 'half' }, 'Rollout reward: "half" is not one of total, apart'],
    [{ rewards: 'a=b' }, 'the weight "b" is not a number'],
    [{ from: 'trl' }, 'a log of verl, not of trl'],
    [
      { turnRewards: 'nothing' },
      'column "nothing": no row has a list of numbers there; lists of numbers are turn_scores',
    ],
  ])('the import settings %j are rejected with an error that names the problem', async (settings, problem) => {
    await expect(readWith(settings, scores)).rejects.toThrow(problem);
  });
});
