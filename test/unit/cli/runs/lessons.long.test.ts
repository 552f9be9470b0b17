import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { root } from '../../../files.ts';
import { turnwise } from '../cliTerminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-lessons-'));
afterAll(() => rmSync(folder, { recursive: true }));
cpSync(join(root, 'lessons'), folder, { recursive: true });

const lessons = (...args: string[]) => turnwise(['lessons', '--folder', folder, '--seeds', '1', ...args]);

test('the first lesson has its stated result on this device, and a false statement is detected', async () => {
  const result = await lessons('one-reward');
  expect(result.err).toContain('grpo-or, seed 1, update 40/40');
  expect([result.code, result.out]).toEqual([
    0,
    expect.stringMatching(
      /^one-reward\nshown .*\nyes +end, answer above 0\.9 by step 40 +1 of 1 +10 of 10 +(0\.9\d|1\.00)\n/,
    ),
  ]);

  const data = join(folder, 'one-reward/lesson.yaml');
  writeFileSync(data, readFileSync(data, 'utf8').replace('above: 0.9, by: 40', 'below: 0.5, by: 40'));
  const wrong = await lessons('one-reward');
  expect([wrong.code, wrong.out]).toEqual([
    1,
    expect.stringMatching(/\nNO +end, answer below 0\.5 by step 40 +0 of 1 /),
  ]);
});

test('an unknown lesson and a lesson with an error are reported before training', async () => {
  expect((await lessons('--first', '2')).err).toContain('--first: seed 2 is above the last seed, --seeds 1');
  const unknown = await lessons('two-rewards');
  expect([unknown.code, unknown.out]).toEqual([2, '']);
  expect(unknown.err).toContain('unknown lesson "two-rewards"; known: one-reward, tool-dies, pay-each-turn');
  writeFileSync(join(folder, 'one-reward/en/peer.md'), '## Before\n\nA.\n');
  expect((await lessons('one-reward')).err).toContain('one-reward/peer.md: the section "## After" is missing or empty');
});
