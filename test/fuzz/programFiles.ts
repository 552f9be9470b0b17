import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { JobError, readJob } from '@turnwise/python-sandbox/jobs';
import fc from 'fast-check';
import { TaskError } from '../../src/environments/repair/taskError.ts';
import { readTasks } from '../../src/environments/repair/taskFile.ts';
import { RepositoriesError, readRepositories } from '../../src/environments/repo/repositoriesFile.ts';
import { ForestError } from '../../src/rollouts/forest.ts';
import { textLines } from '../../src/rollouts/jsonLines.ts';
import { root } from '../files.ts';
import { begin, CaseFolder } from './caseFolder.ts';
import type { Fuzzer } from './fuzzer.ts';
import { type Change, changed, changes, type Damage, damaged, damages } from './mutations.ts';

interface LinesCase {
  readonly changes: readonly Change[];
  readonly damages: readonly Damage[];
}

const cases: fc.Arbitrary<LinesCase> = fc.record({ changes: changes(), damages: damages() });
const folder = new CaseFolder();

function bytesOf(rows: readonly unknown[], { changes, damages }: LinesCase): Buffer {
  const value = changed(rows, changes);
  const lines = Array.isArray(value) ? value : [value];
  return damaged(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')), damages);
}

const JOBS = [
  { id: 'a', program: 'def f(x): return x * 2', entry: 'f', tests: [{ args: [2], expected: 4 }], fuel: 1000 },
  {
    id: 2,
    program: 'class C:\n  def g(self, x): return (x, {x})',
    entry: 'C.g',
    tests: [
      { args: [{ $int: '12' }], expected: [{ $tuple: [1] }, { $set: [1, { $float: 'inf' }] }] },
      { args: [{ $dict: [[{ $tuple: [1, 2] }, 'x']] }], expected: { a: [1.5, null, true] } },
    ],
  },
];

/** Returns true if all lines can be read, so that Python would start. */
async function readable(bytes: Buffer): Promise<boolean> {
  let jobs = 0;
  try {
    for await (const { text } of textLines(Readable.from([bytes]))) {
      readJob(text);
      jobs++;
    }
  } catch (error) {
    // Any other error is a defect.
    if (!(error instanceof JobError || error instanceof ForestError)) throw error;
    return false;
  }
  return jobs > 0;
}

/** Fuzzer of job files, until Python would start. */
export const jobFiles: Fuzzer<LinesCase> = {
  name: 'jobs',
  about: 'files of jobs: what can be read is read, the rest is refused by exec',
  caseCount: 40,
  cases,
  async checkCase(testCase) {
    folder.clear();
    const bytes = bytesOf(JOBS, testCase);
    if (await readable(bytes)) return;
    const line = ['exec', '--out', folder.path('out.jsonl'), folder.file('jobs.jsonl', bytes)];
    assert.equal(
      await folder.accepts(line, 'jobs.jsonl', begin(bytes), [/(, line \d+: |has no jobs)/]),
      false,
      begin(bytes),
    );
  },
};

const fixtureRows = (name: string) =>
  readFileSync(join(root, 'test/fixtures/own', name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

interface CustomCase extends LinesCase {
  readonly kind: 'repair' | 'repo';
}

const CUSTOM = {
  repair: { flag: '--tasks', name: 'tasks.jsonl', read: (text: string) => readTasks(text) },
  repo: {
    flag: '--repositories',
    name: 'repositories.jsonl',
    read: (text: string) => readRepositories(text, 'repositories.jsonl'),
  },
} as const;

/** Fuzzer of files of tasks and repositories, until Python would start. */
export const taskFiles: Fuzzer<CustomCase> = {
  name: 'own',
  about: '--tasks and --repositories: what can be read is read, the rest is refused by the command',
  caseCount: 15,
  cases: fc.record({
    kind: fc.constantFrom<CustomCase['kind']>('repair', 'repo'),
    changes: changes(),
    damages: damages(),
  }),
  async checkCase({ kind, ...testCase }) {
    folder.clear();
    const { flag, name, read } = CUSTOM[kind];
    const bytes = bytesOf(fixtureRows(name), testCase);
    try {
      read(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
      return;
    } catch (error) {
      // Any other error is a defect, except invalid UTF-8, which the command rejects.
      const known = error instanceof TaskError || error instanceof RepositoriesError;
      if (!known && (error as { code?: string }).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    }
    const input = folder.file(name, bytes);
    const line = ['evaluate', '--environment', kind, flag, input];
    assert.equal(await folder.accepts(line, name, begin(bytes)), false, begin(bytes));
  },
};
