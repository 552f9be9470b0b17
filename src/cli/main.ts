import { openGpu } from '../gpu/device.ts';
import { Ending } from './ending.ts';
import { nodeGpu, nodeShaderLibrary } from './node.ts';
import { runProgram } from './program.ts';

const ending = new Ending(process);
const code = await runProgram(process.argv.slice(2), {
  out: (text) => ending.out(text),
  drained: () => ending.drained(),
  input: () => process.stdin,
  err: (text) => ending.err(text),
  interactive: process.stderr.isTTY === true,
  columns: process.stderr.columns ?? 80,
  signal: ending.signal,
  openGpu: async () => openGpu(await nodeGpu(), nodeShaderLibrary()),
});
await ending.finish(code);
