import { once } from 'node:events';
import { openGpu } from '../gpu/device.ts';
import { EXIT } from './errors.ts';
import { standardInput } from './inputs.ts';
import { endPlainly } from './lastResort.ts';
import { nodeGpu, nodeShaderLibrary } from './node.ts';
import { runProgram } from './program.ts';

endPlainly(process, (text) => process.stderr.write(text));
const stop = new AbortController();
const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: 143 } as const;
for (const [signal, code] of Object.entries(SIGNALS)) {
  process.on(signal, () => {
    // The second time somebody means it.
    if (stop.signal.aborted) process.exit(code);
    process.stderr.write('\nstopping after this step; once more to stop at once\n');
    stop.abort();
  });
}
// `turnwise train | head`: nobody reads on, so there is nothing left to do.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : EXIT.failed));

const code = await runProgram(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  drained: async () => {
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
  },
  input: () => standardInput(),
  err: (text) => process.stderr.write(text),
  interactive: process.stderr.isTTY === true,
  columns: process.stderr.columns ?? 80,
  signal: stop.signal,
  openGpu: async () => openGpu(await nodeGpu(), nodeShaderLibrary()),
});
// Dawn keeps the process alive; what was written must be through before it ends.
process.stdout.write('', () => process.exit(code));
