import { standardInput } from './framework/inputs.ts';
import { openNodeGpu } from './framework/node.ts';
import { endPlainly, ShutdownHandler } from './output/shutdown.ts';
import { runProgram } from './program.ts';

const termination = new ShutdownHandler(process);
endPlainly(process, (text) => termination.err(text));
const terminal = {
  out: (text: string) => termination.out(text),
  drained: () => termination.drained(),
  input: () => standardInput(),
  err: (text: string) => termination.err(text),
  interactive: process.stderr.isTTY === true,
  columns: process.stderr.columns ?? 80,
  signal: termination.signal,
  openGpu: (kind?: 'card') => openNodeGpu(undefined, kind),
};
await termination.finish(await runProgram(process.argv.slice(2), terminal));
