import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, vi } from 'vitest';
import { writeGroups } from '../../../../src/rollouts/jsonLines.ts';
import { TERMINAL } from '../../../builtTerminal.ts';
import { root } from '../../../files.ts';
import { outcomesOnly } from '../../../groups.ts';

/** Folder of the current test. */
export let folder = '';

/** Creates an empty folder before each test of a file. It is removed after the run (temporaryFiles.ts). */
export function foldersOfTests(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'turnwise-ending-'));
  });
}

export const path = (name: string) => join(folder, name);

export const LINE = writeGroups([outcomesOnly([1, 0], 'g')]);
// A process starts in one or two seconds, or more on a busy machine.
export const SLOW = 60_000;

/** Starts the program in a separate process, without its launcher. */
export function start(args: readonly string[], { redirect = '', env = {} } = {}) {
  const command = `exec "$0" "$@" ${redirect}`;
  const program = [process.execPath, TERMINAL, ...args];
  const child = spawn('/bin/sh', ['-c', command, ...program], { cwd: root, env: { ...process.env, ...env } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    err += data;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, out, err }));
  return { child, ended };
}

export const credit = (...args: string[]) => ['credit', '--device', 'cpu', '--rule', 'grpo-or', ...args];

/** Resolves when a file with this suffix exists, which means that the work has started. */
export const waitForFile = (suffix: string) =>
  vi.waitFor(() => expect(readdirSync(folder).filter((name) => name.endsWith(suffix))).not.toEqual([]), SLOW);

/** Sends a signal to a process that writes a file. Checks its exit code and that it leaves no file. */
export async function expectStop(signal: NodeJS.Signals, code: number): Promise<void> {
  const { child, ended } = start(credit('--out', path('out'), '-'));
  child.stdin.write(LINE);
  await waitForFile('.turnwise-part');
  child.kill(signal);
  expect(await ended).toMatchObject({ code, err: '\nstopping; press Ctrl-C again to stop at once\n' });
  expect(readdirSync(folder)).toEqual([]);
}
