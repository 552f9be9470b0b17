import { closeSync, openSync } from 'node:fs';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readCustomTasks } from '../../../../src/cli/framework/configurationFlags.ts';
import { UsageError, unreadable } from '../../../../src/cli/framework/errors.ts';
import { readTextFile, standardInput } from '../../../../src/cli/framework/inputs.ts';
import { loadRun } from '../../../../src/cli/framework/policyFiles.ts';
import { writeRunFile } from '../../../../src/storage/runFile.ts';
import { savedRun } from '../../app/appFixtures.ts';
import { expectRejected, temporaryFolder, turnwise } from '../cliTerminal.ts';

const { folder, file } = temporaryFolder();

const job = (text: string) => `{"id": 1, "program": "", "entry": "f", "tests": [{"args": [], "expected": "${text}"}]}`;
/** Job with bytes that are not UTF-8. It passes if a reader replaces them instead of rejecting them. */
const wrong = Buffer.concat([Buffer.from(job('').slice(0, -4)), Buffer.from([0xff, 0xfe]), Buffer.from('"}]}\n')]);

describe('exec with an invalid file of jobs', () => {
  test.each([
    ['invalid UTF-8', Buffer.concat([Buffer.from(`${job('a')}\n\n`), wrong]), 'line 3: not UTF-8 text'],
    ['a gzip-compressed file', gzipSync(job('a')), 'line 1: gzip; unpack it first'],
    ['an invalid line after a byte order mark', `\uFEFF${job('a')}\n{"id": 2}`, 'line 2: "program" must be a string'],
    ['a file of blank lines', '\n \n', 'has no jobs'],
    ['an empty file', '', 'has no jobs'],
    ['a field name with a control character', '{"\u001b[2J": 1}', 'line 1: not JSON: a string was expected'],
    [
      'a field name with an escaped control character',
      '{"\\u001b[2J": 1}',
      'line 1: "\\u001b[2J" is no field of a job',
    ],
    [
      'excessive nesting',
      job('a').replace('[]', '['.repeat(9999)),
      'line 1: not JSON: nested too deep at character 157',
    ],
  ])('exec rejects %s before it starts Python', async (_, content, message) => {
    const path = file('jobs.jsonl', content);
    const { code, out, err } = await turnwise(['exec', path]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(new RegExp(`^turnwise: ${path}[,:]? `));
    expect(err).toContain(message);
    const piped = await turnwise('exec -', { input: () => Readable.from([Buffer.from(content)]) });
    expect(piped).toEqual({ code: 2, out: '', err: err.replace(path, 'standard input') });
  });

  test('exec and credit reject a folder, also as standard input', async () => {
    expect((await turnwise(['exec', folder])).err).toContain(`${folder} is a folder, not a file of jobs`);
    const opened = openSync(folder, 'r');
    try {
      for (const command of ['exec -', 'credit --device cpu --rule grpo-or -']) {
        await expectRejected(command, 'turnwise: standard input is a folder\n', { input: () => standardInput(opened) });
      }
    } finally {
      closeSync(opened);
    }
  });
});

describe('a file of text', () => {
  test('a text file can have a byte order mark', () => {
    expect(readTextFile('json', file('bom.json', '\uFEFF{}'))).toBe('{}');
  });

  test.each([
    [new Uint8Array([0x7b, 0xff]), 'is not UTF-8 text'],
    [Buffer.from('\uFEFF{}', 'utf16le'), 'is UTF-16, not UTF-8 text'],
    [gzipSync('{}'), 'is gzip; unpack it first'],
  ])('a file that is not UTF-8 text is rejected with its name: %#', async (content, problem) => {
    const path = file('own.jsonl', content);
    expect(() => readTextFile('json', path)).toThrow(new UsageError(`--json: ${path} ${problem}`));
    expect(() => readCustomTasks('repair', { tasks: path })).toThrow(`--tasks: ${path} ${problem}`);
    await expectRejected(['compare', '--json', path], `--json: ${path} ${problem}`);
  });

  test('a text file that is a folder is reported as a folder', () => {
    expect(() => readTextFile('tasks', folder)).toThrow(
      `--tasks: ${folder} cannot be read (illegal operation on a directory)`,
    );
  });
});

describe('a saved run', () => {
  const text = writeRunFile(savedRun());

  test('the file of a saved run can have a byte order mark', () => {
    expect(loadRun(file('marked.json', `\uFEFF${text}`))).toEqual(savedRun());
  });

  test('the file of a saved run is rejected with its name if it is not UTF-8 text', () => {
    const path = file('latin.json', Buffer.concat([Buffer.from(text), Buffer.from([0xe9])]));
    expect(() => loadRun(path)).toThrow(new UsageError(`${path} is not a saved run: not UTF-8 text`));
  });

  test.each([
    ['train', '--steps 9 --resume'],
    ['evaluate', '--checkpoint'],
  ])('a saved run with an invalid checkpoint is rejected with its name: %s', async (command, flags) => {
    const path = file('misfit.json', `\uFEFF${text}`);
    await expectRejected(`${command} ${flags} ${path}`, `turnwise: ${path}: not a checkpoint, or cut off`);
  });
});

test('a system error is converted to a usage error, and other errors are returned unchanged', () => {
  const denied = Object.assign(new Error("EACCES: permission denied, open 'x, y.json'"), {
    syscall: 'open',
    errno: -13,
  });
  expect(unreadable('x', denied)).toEqual(new UsageError('x cannot be read (permission denied)'));
  const error = new TypeError('x is not a function');
  expect(unreadable('x', error)).toBe(error);
});
