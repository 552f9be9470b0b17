import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtTerminal } from '../scripts/terminal.ts';
import { choice, integerFlag, text, toggle } from '../src/cli/framework/flags.ts';
import { alignedTable } from '../src/cli/framework/terminal.ts';
import { findRule, RULES } from '../src/credit/rules.ts';
import { writeGroups } from '../src/rollouts/jsonLines.ts';
import { syntheticGroups } from './creditForest.ts';
import { runBenchmark } from './options.ts';

/** Number of turns that are created and written together. */
const PART = 50_000;

const root = fileURLToPath(new URL('..', import.meta.url));

/** Program that writes the advantages of a file of groups. */
interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

const node = (terminal: string, rule: string, device: string, files: readonly [string, string]): Program => ({
  name: `turnwise, ${device}`,
  command: process.execPath,
  args: [
    ...['--import', './bench/usage.mjs', terminal],
    ...['credit', '--rule', rule, '--device', device, '--out', files[1], files[0]],
  ],
});

const python = (command: string, name: string, ...args: readonly string[]): Program => ({
  ...{ name, command, args: ['bench/usage.py', ...args] },
});

function run({ name, command, args }: Program, [input, out]: readonly [string, string]): string[] {
  const start = performance.now();
  const { status, stderr, error } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  const seconds = (performance.now() - start) / 1000;
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${error?.message ?? stderr}`);
  const used = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
  const megabytes = (file: string) => `${Math.round(statSync(file).size / 1e6)} MB`;
  const memory = `${Math.round((used.kilobytes * 1024) / 1e6)} MB`;
  return [name, megabytes(input), megabytes(out), `${seconds.toFixed(1)} s`, `${used.seconds.toFixed(1)} s`, memory];
}

/** Returns the time in which the terminal starts and prints its version [ms]: the minimum of five starts. */
function startMs(terminal: string): number {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    const { status } = spawnSync(process.execPath, [terminal, '--version']);
    if (status !== 0) throw new Error(`turnwise --version ended with ${status}`);
    return performance.now() - start;
  });
  return Math.round(Math.min(...times));
}

interface Options {
  readonly turns: number;
  readonly rule: string;
  readonly gpu: boolean;
  readonly python: string | undefined;
}

async function main({ turns, rule: name, gpu, python: command }: Options): Promise<number> {
  const rule = findRule(name);
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));
  try {
    const files = [join(folder, 'in.jsonl'), join(folder, 'out.jsonl')] as const;
    const [input, out] = files;
    for (let created = 0; created < turns; created += PART) {
      const shape = rule.input === 'forest' ? 'trees' : 'chains';
      const groups = syntheticGroups(Math.min(PART, turns - created), shape, new Set(rule.reads), created + 1);
      appendFileSync(input, writeGroups(groups));
    }
    const head = ['program', 'file', 'result', 'time', 'CPU time', 'most memory'];
    const terminal = await builtTerminal();
    const programs = [
      ...[...(gpu ? ['gpu'] : []), 'cpu'].map((device) => node(terminal, name, device, files)),
      ...(command
        ? [
            python(command, 'turnwise, Python', 'turnwise_rl', 'credit', '--rule', name, '--out', out, input),
            python(command, 'GRPO-OR with json and numpy', 'bench/simpleCredit.py', input, out),
          ]
        : []),
    ];
    const rows = programs.map((program) => run(program, files));
    process.stdout.write(`${name}, ${turns} turns\n${alignedTable(head, rows)}\nstart: ${startMs(terminal)} ms\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return 0;
}

process.exit(
  await runBenchmark({
    name: 'bench:file',
    description:
      'Times `turnwise credit` of the built terminal on a file of rollouts, from the start of its process to its end, and measures ' +
      'its memory. Also times the start of the terminal.',
    flags: {
      turns: integerFlag('Turns of the file.', { min: 1, max: 100_000_000, default: 1_000_000 }),
      rule: choice(
        'The credit rule.',
        RULES.map(({ name }) => name),
        'mt-grpo',
      ),
      gpu: toggle('Also with --device gpu, which needs a WebGPU adapter.'),
      python: text(
        'PROGRAM',
        'Also with a Python that has turnwise_rl and numpy, for example python/.venv/bin/python, and with a simple program in it.',
      ),
    },
    examples: ['--turns 100000', '--rule grpo-or --python python/.venv/bin/python'],
    run: main,
  }),
);
