import { fstatSync } from 'node:fs';
import { openGpu } from '../gpu/device.ts';
import { Ending } from './ending.ts';
import { UsageError } from './errors.ts';
import { nodeGpu, nodeShaderLibrary } from './node.ts';
import { report, runProgram } from './program.ts';

/** @throws {UsageError} for a folder, which would read like an empty file */
function standardInput(): NodeJS.ReadStream {
  if (fstatSync(0).isDirectory()) throw new UsageError('standard input is a folder');
  return process.stdin;
}

const ending = new Ending(process);
const terminal = {
  out: (text: string) => ending.out(text),
  drained: () => ending.drained(),
  input: standardInput,
  err: (text: string) => ending.err(text),
  interactive: process.stderr.isTTY === true,
  columns: process.stderr.columns ?? 80,
  signal: ending.signal,
  openGpu: async () => openGpu(await nodeGpu(), nodeShaderLibrary()),
};
// The last resort: what nobody awaited is told like any error, and nothing is left lying.
process.on('uncaughtException', (error) => process.exit(report(error, terminal)));

await ending.finish(await runProgram(process.argv.slice(2), terminal));
