import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { choice, toggle, whole } from '../src/cli/framework/flags.ts';
import { alignedTable } from '../src/cli/framework/text.ts';
import { findRule, RULES } from '../src/credit/rules.ts';
import { writeGroups } from '../src/rollouts/jsonLines.ts';
import { syntheticGroups } from './creditForest.ts';
import { runBenchmark } from './options.ts';

/** Turns that are made and written at once. */
const PART = 50_000;

const root = fileURLToPath(new URL('..', import.meta.url));

/** Tells at its end what a process took. */
const TELL = `data:text/javascript,process.on('exit',()=>process.stderr.write('\\n'+JSON.stringify(process.resourceUsage())))`;

function run(rule: string, device: string, input: string, out: string): string[] {
  const program = ['--import', 'tsx', '--import', TELL, 'src/cli/main.ts'];
  const args = ['credit', '--rule', rule, '--device', device, '--out', out, input];
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [...program, ...args], { cwd: root, encoding: 'utf8' });
  const seconds = (performance.now() - start) / 1000;
  if (status !== 0) throw new Error(`credit ended with ${status}: ${stderr}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
  const megabytes = (file: string) => `${Math.round(statSync(file).size / 1e6)} MB`;
  const cpu = (userCPUTime + systemCPUTime) / 1e6;
  const memory = `${Math.round((maxRSS * 1024) / 1e6)} MB`;
  return [device, megabytes(input), megabytes(out), `${seconds.toFixed(1)} s`, `${cpu.toFixed(1)} s`, memory];
}

interface Options {
  readonly turns: number;
  readonly rule: string;
  readonly gpu: boolean;
}

async function main({ turns, rule: name, gpu }: Options): Promise<number> {
  const rule = findRule(name);
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));
  try {
    const [input, out] = [join(folder, 'in.jsonl'), join(folder, 'out.jsonl')];
    for (let made = 0; made < turns; made += PART) {
      const shape = rule.input === 'forest' ? 'trees' : 'chains';
      const groups = syntheticGroups(Math.min(PART, turns - made), shape, new Set(rule.reads), made + 1);
      appendFileSync(input, writeGroups(groups));
    }
    const head = ['device', 'file', 'result', 'time', 'CPU time', 'most memory'];
    const rows = [...(gpu ? ['gpu'] : []), 'cpu'].map((device) => run(name, device, input, out));
    process.stdout.write(`${name}, ${turns} turns\n${alignedTable(head, rows)}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return 0;
}

process.exit(
  await runBenchmark({
    name: 'bench:file',
    description:
      'Times `turnwise credit` on a file of rollouts, from the start of its process to its end, and measures its memory.',
    flags: {
      turns: whole('Turns of the file.', { min: 1, max: 100_000_000, default: 1_000_000 }),
      rule: choice(
        'The credit rule.',
        RULES.map(({ name }) => name),
        'mt-grpo',
      ),
      gpu: toggle('Also with --device gpu, which needs a WebGPU adapter.'),
    },
    examples: ['--turns 100000'],
    run: main,
  }),
);
