import { Readable } from 'node:stream';
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
