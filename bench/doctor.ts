import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { integerFlag } from '../src/cli/framework/flags.ts';
import { runProgram } from '../src/cli/program.ts';
import { NoWebGpuError } from '../src/gpu/device.ts';
import { CounterRandom, STREAMS } from '../src/random/counter.ts';
import { runBenchmark } from './options.ts';

const VOCABULARY = 'the server returns a list of rows and every row has a name with a value that the agent reads'.split(
  ' ',
);
/** Words from which the texts of the logs are cut. Drawing each word takes longer than `doctor`. */
const CORPUS = randomCorpus(1 << 16);
const PROMPTS = 16;
const ROLLOUTS = 8;

process.exitCode = await runBenchmark({
  name: 'bench:doctor',
  description: 'Writes logs in the form of verl, runs `doctor` on them, and prints its processor time and memory.',
  flags: { size: integerFlag('Size of the logs [MB].', { min: 1, max: 100_000, default: 1000 }) },
  examples: ['', '--size 100'],
  async run({ size }) {
    const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));
    try {
      const bytes = writeLogs(folder, size * 1e6);
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
      process.stdout.write(
        `doctor on ${(bytes / 1e6).toFixed(0)} MB: exit code ${code}, ${seconds.toFixed(1)} s, ${processor.toFixed(1)} s of processor time, at most ${memory.toFixed(0)} MB of memory\n`,
      );
      return 0;
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
});

/** Writes logs of agents that search two to six times. Returns the number of bytes. */
function writeLogs(folder: string, limit: number): number {
  let bytes = 0;
  for (let step = 0; bytes < limit; step++) {
    const rows: string[] = [];
    for (let prompt = 0; prompt < PROMPTS; prompt++) {
      const random = new CounterRandom(1, STREAMS.labels, step * PROMPTS + prompt);
      const text = (length: number) => {
        const first = random.integer(CORPUS.length - length);
        return CORPUS.slice(first, first + length).join(' ');
      };
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

function randomCorpus(length: number): readonly string[] {
  const random = new CounterRandom(0, STREAMS.labels, 0);
  return Array.from({ length }, () => VOCABULARY[random.integer(VOCABULARY.length)]);
}
