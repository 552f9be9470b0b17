import { standardInput } from './framework/inputs.ts';
import { openNodeGpu } from './framework/node.ts';
import { Ending, endPlainly } from './output/ending.ts';
import { runProgram } from './program.ts';

const ending = new Ending(process);
endPlainly(process, (text) => ending.err(text));
const terminal = {
  out: (text: string) => ending.out(text),
  drained: () => ending.drained(),
  input: () => standardInput(),
  err: (text: string) => ending.err(text),
  interactive: process.stderr.isTTY === true,
  columns: process.stderr.columns ?? 80,
  signal: ending.signal,
  openGpu: (kind?: 'card') => openNodeGpu(undefined, kind),
};
await ending.finish(await runProgram(process.argv.slice(2), terminal));
