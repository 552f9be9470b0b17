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

/** Writes a file with these lines and returns its path. */
function file(name: string, ...lines: readonly string[]): string {
  const created = join(folder, name);
  writeFileSync(created, lines.join('\n'));
  return created;
}

const changed = (line: string, changes: object) => JSON.stringify({ ...JSON.parse(line), ...changes });

describe('custom task files', () => {
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
  ] as const)('a custom task file with %s is rejected with a position', async (name, command, lines, message) => {
    const given = file(`${name.replaceAll(' ', '-')}.jsonl`, ...lines);
    const { code, out, err } = await turnwise(`${command} ${given}`);
    expect(err).toContain(`turnwise: ${given}${message}`);
    expect([code, out]).toEqual([2, '']);
  });

  test('a custom task file that does not exist is reported', async () => {
    const { code, err } = await turnwise('evaluate --environment repair --tasks none.jsonl');
    expect([code, err]).toEqual([2, expect.stringContaining('--tasks: there is no file none.jsonl')]);
  });

  test.each([
    ['train --tasks x', '--tasks'],
    ['evaluate --environment repo --tasks x', '--tasks'],
    ['train --environment repair --repositories x', '--repositories'],
  ])('%s is rejected because the flag belongs to another environment', async (line, flag) => {
    const { code, err } = await turnwise(line);
    expect([code, err]).toEqual([2, expect.stringContaining(`unknown flag ${flag}`)]);
  });
});
