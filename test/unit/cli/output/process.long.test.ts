import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../../files.ts';
import { turnwise } from '../cliTerminal.ts';
import { credit, expectStop, folder, foldersOfTests, LINE, path, SLOW, start, waitForFile } from './programProcess.ts';

const VERL = join(root, 'test/fixtures/import/verl/10.jsonl');

foldersOfTests();

describe('a process', () => {
  test.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('a process stopped by %s exits with the code of the signal and leaves no file', expectStop, SLOW);

  test(
    'a process stops without a message and removes its temporary files if its reader ends',
    async () => {
      const rows = readFileSync(VERL, 'utf8').trimEnd().split('\n');
      // The text is longer than the text that is stored in memory.
      const note = 'x'.repeat(4_000_000);
      const long = rows.map((row) => JSON.stringify({ ...JSON.parse(row), note })).join('\n');
      writeFileSync(path('log.jsonl'), long);
      mkdirSync(path('tmp'));
      const { child, ended } = start(['import', '--from', 'verl', path('log.jsonl')], { env: { TMPDIR: path('tmp') } });
      child.stdout.once('data', () => child.stdout.destroy());
      const { code, err } = await ended;
      expect([code, err]).toEqual([0, '']);
      expect(readdirSync(path('tmp'))).toEqual([]);
    },
    SLOW,
  );

  test(
    'a process that writes a file locks out other processes, and its lock is replaced after it was killed',
    async () => {
      writeFileSync(path('in'), LINE);
      const first = start(credit('--out', path('out'), '-'));
      await waitForFile('.turnwise-part');
      const second = await start(credit('--out', path('out'), path('in'))).ended;
      expect([second.code, second.out]).toEqual([2, '']);
      const pid = first.child.pid;
      expect(second.err).toMatch(`--out: ${path('out')} is being written by another process (credit ${pid}, since `);
      first.child.kill('SIGKILL');
      await first.ended;
      expect(readdirSync(folder)).toEqual(['in', 'out.turnwise-lock', 'out.turnwise-part'].sort());
      expect(await turnwise(credit('--out', path('out'), path('in')))).toMatchObject({ code: 0 });
      expect(readdirSync(folder)).toEqual(['in', 'out']);
    },
    SLOW,
  );

  test(
    'a busy process is ended by the second Ctrl-C through its launcher',
    async () => {
      const busy = `process.on('SIGINT', () => {}); process.stdout.write('busy'); for (;;);`;
      const launcher = `
        import { runChild } from './scripts/child.mjs';
        runChild(['--eval', ${JSON.stringify(busy)}], {});
      `;
      const child = spawn(process.execPath, ['--input-type=module', '--eval', launcher], { cwd: root });
      await once(child.stdout, 'data');
      const ended = once(child, 'close');
      child.kill('SIGINT');
      // Repeats the signal until the launcher accepts it as a second request.
      const again = setInterval(() => child.kill('SIGINT'), 100);
      expect(await ended).toEqual([130, null]);
      clearInterval(again);
    },
    SLOW,
  );
});
