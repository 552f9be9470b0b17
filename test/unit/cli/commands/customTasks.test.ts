import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../../../files.ts';
import { turnwise } from '../cliTerminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-own-'));
afterAll(() => rmSync(folder, { recursive: true }));

const path = (name: string) => join(root, 'test/fixtures/own', name);
const linesOf = (name: string) => readFileSync(path(name), 'utf8').trim().split('\n');
const [TASK] = linesOf('tasks.jsonl');
const [REPOSITORY] = linesOf('repositories.jsonl');

/** A file of lines, some of them changed. */
function file(name: string, ...lines: readonly string[]): string {
  const created = join(folder, name);
  writeFileSync(created, lines.join('\n'));
  return created;
}

const changed = (line: string, changes: object) => JSON.stringify({ ...JSON.parse(line), ...changes });

describe('a custom task file that cannot be read stops the command immediately, with the position', () => {
  test.each([
    ['no JSON', 'evaluate --environment repair --tasks', [TASK, '{'], ', line 2: not JSON'],
    [
      'an unknown word',
      'train --environment repair --tasks',
      ['', changed(TASK, { prompt: 'sum of zebras' })],
      ', line 2, field "prompt": "zebras" is not',
    ],
    [
      'no issue',
      'evaluate --environment repo --repositories',
      ['', changed(REPOSITORY, { issue: 'top' })],
      ', line 2: issue: ',
    ],
  ] as const)('%s', async (name, command, lines, message) => {
    const given = file(`${name.replaceAll(' ', '-')}.jsonl`, ...lines);
    const { code, out, err } = await turnwise(`${command} ${given}`);
    expect(err).toContain(`turnwise: ${given}${message}`);
    expect([code, out]).toEqual([2, '']);
  });

  test('a file that is not there', async () => {
    const { code, err } = await turnwise('evaluate --environment repair --tasks none.jsonl');
    expect([code, err]).toEqual([2, expect.stringContaining('--tasks: there is no file none.jsonl')]);
  });

  test.each([
    ['train --tasks x', '--tasks'],
    ['evaluate --environment repo --tasks x', '--tasks'],
    ['train --environment repair --repositories x', '--repositories'],
  ])('%s: the flag is of another environment', async (line, flag) => {
    const { code, err } = await turnwise(line);
    expect([code, err]).toEqual([2, expect.stringContaining(`unknown flag ${flag}`)]);
  });
});
