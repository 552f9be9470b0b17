import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../src/cli/program.ts';
import { NoWebGpuError } from '../src/gpu/device.ts';
import { CounterRandom, STREAMS } from '../src/random/counter.ts';

// Processor time and memory of `doctor` on logs in the form of verl: npm run bench:doctor -- [MB]. Default: 1,000 MB.

const VOCABULARY = 'the server returns a list of rows and every row has a name with a value that the agent reads'.split(
  ' ',
);
const PROMPTS = 16;
const ROLLOUTS = 8;

const megabytes = Number(process.argv[2] ?? 1000);
if (!(megabytes > 0)) throw new RangeError(`${process.argv[2]} is no number of megabytes`);
const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));
try {
  const bytes = writeLogs(megabytes * 1e6);
  const before = process.cpuUsage();
  const start = performance.now();
  const code = await runProgram(['doctor', folder], {
    ...{ out: () => {}, err: () => {}, drained: async () => {}, interactive: false, columns: 80 },
    input: () => {
      throw new Error('doctor reads no standard input');
    },
    signal: new AbortController().signal,
    openGpu: () => Promise.reject(new NoWebGpuError('doctor needs no device')),
  });
  const { user, system } = process.cpuUsage(before);
  const [seconds, processor] = [(performance.now() - start) / 1000, (user + system) / 1e6];
  const memory = process.resourceUsage().maxRSS / 1024;
  console.log(
    `doctor on ${(bytes / 1e6).toFixed(0)} MB: exit code ${code}, ${seconds.toFixed(1)} s, ${processor.toFixed(1)} s of processor time, at most ${memory.toFixed(0)} MB of memory`,
  );
} finally {
  rmSync(folder, { recursive: true });
}

/** Writes logs of agents that search two to six times. Returns the number of bytes. */
function writeLogs(limit: number): number {
  let bytes = 0;
  for (let step = 0; bytes < limit; step++) {
    const rows: string[] = [];
    for (let prompt = 0; prompt < PROMPTS; prompt++) {
      const random = new CounterRandom(1, STREAMS.labels, step * PROMPTS + prompt);
      const text = (length: number) =>
        Array.from({ length }, () => VOCABULARY[random.integer(VOCABULARY.length)]).join(' ');
      const input = `system\nUse the tool.\nuser\n${text(60)} ${step} ${prompt}\nassistant\n`;
      for (let rollout = 0; rollout < ROLLOUTS; rollout++) {
        const calls = Array.from({ length: 2 + random.integer(5) }, () => {
          const call = JSON.stringify({ name: 'search', arguments: { q: text(6) } });
          return `<tool_call>\n${call}\n</tool_call>\nuser\n<tool_response>\n${text(200)}\n</tool_response>\nassistant\n`;
        });
        rows.push(
          JSON.stringify({
            input,
            output: `${calls.join('')}It is ${text(20)}`,
            gts: 'x',
            score: random.integer(2),
            step,
          }),
        );
      }
    }
    const log = `${rows.join('\n')}\n`;
    appendFileSync(join(folder, `${step}.jsonl`), log);
    bytes += log.length;
  }
  return bytes;
}
