import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openWorld } from '../../src/cli/framework/worldRuns.ts';
import type { RepairEnvironment } from '../../src/environments/repair/open.ts';
import type { RepoEnvironment } from '../../src/environments/repo/open.ts';
import { defaultConfiguration } from '../../src/training/data/configurationTables.ts';
import { root } from '../files.ts';
import { turnwise } from '../unit/cli/cliTerminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-own-'));
afterAll(() => rmSync(folder, { recursive: true }));

const path = (name: string) => join(root, 'test/fixtures/own', name);
const linesOf = (name: string) => readFileSync(path(name), 'utf8').trim().split('\n');
const [TASK, HELD_OUT] = linesOf('tasks.jsonl');
const [REPOSITORY] = linesOf('repositories.jsonl');

/** Writes a file with the given lines and returns its path. */
function file(name: string, ...lines: readonly string[]): string {
  const created = join(folder, name);
  writeFileSync(created, lines.join('\n'));
  return created;
}

const changed = (line: string, changes: object) => JSON.stringify({ ...JSON.parse(line), ...changes });

describe('an invalid custom task file stops the command with the position of the error', () => {
  test.each([
    [
      'nothing for the split',
      'evaluate --environment repair --tasks',
      [TASK],
      ', field "heldOut": none of the 1 tasks are held out',
    ],
    [
      'nothing to train on',
      'train --environment repair --tasks',
      [HELD_OUT],
      ', field "heldOut": all of the 1 tasks are held out',
    ],
    [
      'a reference that fails',
      'evaluate --environment repair --tasks',
      ['', HELD_OUT, changed(TASK, { reference: 'return 0' })],
      ', line 3, field "reference": the reference of "sum of above 5" gives 0 for test 1, not 6',
    ],
    [
      'right files that fail',
      'train --environment repo --repositories',
      [changed(REPOSITORY, { hidden: [{ function: 'top', x: [1], k: 1, expected: 9 }] })],
      ', line 1: hidden: the right files fail',
    ],
  ] as const)('an invalid task file stops the command: %s', async (name, command, lines, message) => {
    const given = file(`${name.replaceAll(' ', '-')}.jsonl`, ...lines);
    const { code, out, err } = await turnwise(`${command} ${given}`);
    expect(err).toContain(`turnwise: ${given}${message}`);
    expect([code, out]).toEqual([2, '']);
  });
});

describe('a custom file replaces the shipped tasks', () => {
  const readFile = (name: string) => ({ file: name, text: readFileSync(path(name), 'utf8') });

  test('a custom file replaces the tasks of repair', async () => {
    const opened = await openWorld(defaultConfiguration('repair'), readFile('tasks.jsonl'));
    const { tasks } = opened.environment as unknown as RepairEnvironment;
    opened.close();
    expect(tasks.map(({ promptTerms, heldOut }) => [promptTerms.join(' '), heldOut])).toEqual([
      ['sum of above 5', false],
      ['count of above 5', true],
    ]);
  });

  test('a custom file replaces the repositories of repo', async () => {
    const opened = await openWorld(defaultConfiguration('repo'), readFile('repositories.jsonl'));
    const { problems } = opened.environment as unknown as RepoEnvironment;
    opened.close();
    expect([problems.training.map(({ id }) => id), problems.heldOut.map(({ id }) => id)]).toEqual([
      ['line 1'],
      ['line 2'],
    ]);
  });
});
