import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import type { Terminal } from '../../../src/cli/framework/terminal.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { NoWebGpuError } from '../../../src/gpu/device.ts';

/** Creates a terminal that collects its output. By default it has no WebGPU, so runs train on the CPU. */
export function paperTerminal(parts: Partial<Terminal> = {}) {
  const written = { out: '', err: '' };
  const terminal: Terminal = {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    drained: async () => {},
    input: () => Readable.from([]),
    interactive: false,
    columns: 80,
    signal: new AbortController().signal,
    openGpu: () => Promise.reject(new NoWebGpuError('no device in this test.')),
    ...parts,
  };
  return { written, terminal };
}

/** Runs a command line and returns its result. */
export async function turnwise(line: string | readonly string[], parts: Partial<Terminal> = {}) {
  const { written, terminal } = paperTerminal(parts);
  const args = typeof line === 'string' ? line.split(' ').filter(Boolean) : line;
  const code = await runProgram(args, terminal);
  return { code, ...written };
}

/** Expects that a command line ends with exit code 2, without output and with this message. Returns the error output. */
export async function expectRejected(
  line: string | readonly string[],
  message: string | RegExp,
  parts: Partial<Terminal> = {},
): Promise<string> {
  const { code, out, err } = await turnwise(line, parts);
  if (typeof message === 'string') expect(err).toContain(message);
  else expect(err).toMatch(message);
  expect([code, out]).toEqual([2, '']);
  return err;
}

/** Creates a folder, which is removed after the run (temporaryFiles.ts). `file` writes a file and returns its path. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-test-'));
  const path = (name: string) => join(folder, name);
  const file = (name: string, content: string | Uint8Array) => {
    writeFileSync(path(name), content);
    return path(name);
  };
  return { folder, path, file };
}
