import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import { type Job, LIMITS } from '@turnwise/python-sandbox/types';
import { newText, readText } from '../packages/python-sandbox/src/guest/memoryAccess.ts';
import { SandboxInterpreter } from '../packages/python-sandbox/src/guest/sandboxInterpreter.ts';
import { startInterpreter } from '../packages/python-sandbox/src/guest/start.ts';
import { pyodideFile } from '../packages/python-sandbox/src/host/pythonFiles.ts';
import { ATTACKS_WORK } from '../packages/python-sandbox/test/attacksWork.ts';
import { standardMix } from '../packages/python-sandbox/test/standardMix.ts';
import { integerFlag, text } from '../src/cli/framework/flags.ts';
import { runBenchmark } from './options.ts';
import { checkCpython } from './sandboxCpython.ts';
import { checkSolutions } from './sandboxSolutions.ts';

/** Number of programs before the timed programs. During them, V8 compiles hot functions of the interpreter. */
const WARM = 1500;

interface Rate {
  readonly wall: number;
  readonly cpu: number;
}

async function rate(jobs: number, work: () => unknown): Promise<Rate> {
  const before = process.cpuUsage();
  const start = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: (1000 * jobs) / (performance.now() - start), cpu: (1e6 * jobs) / (user + system) };
}

function print(name: string, { wall, cpu }: Rate): void {
  console.log(`${name.padEnd(46)} ${wall.toFixed(0).padStart(7)} /s   ${cpu.toFixed(0).padStart(7)} a CPU second`);
}

async function guarded(workers: number, count: number): Promise<Rate> {
  const [start, used] = [performance.now(), process.cpuUsage()];
  const sandbox = new Sandbox(createNodeSource(), { workers });
  await sandbox.ready();
  if (workers === 1) {
    const { user, system } = process.cpuUsage(used);
    console.log(
      `${'boot, to the first worker'.padEnd(46)} ${(performance.now() - start).toFixed(0).padStart(7)} ms   ${((user + system) / 1000).toFixed(0).padStart(7)} ms of CPU`,
    );
  }
  // Warm-up: V8 compiles hot functions of the interpreter, and the spare worker starts.
  await sandbox.run(standardMix(WARM));
  while (sandbox.statistics.spares === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  const jobs = standardMix(count + WARM).slice(WARM);
  const measured = await rate(count, () => sandbox.run(jobs));
  sandbox.close();
  return measured;
}

/** Measures the time to restore memory, in an interpreter of this thread. */
async function puttingBack(count: number): Promise<void> {
  const parts = await createNodeSource().parts();
  const [start, used] = [performance.now(), process.cpuUsage()];
  const interpreter = await SandboxInterpreter.start(parts);
  const { user, system } = process.cpuUsage(used);
  console.log(
    `${'an interpreter from its image'.padEnd(46)} ${(performance.now() - start).toFixed(0).padStart(7)} ms   ${((user + system) / 1000).toFixed(0).padStart(7)} ms of CPU`,
  );
  const jobs = standardMix(count + WARM);
  const { run, duration, restores } = timed(interpreter);
  for (const job of jobs.slice(0, WARM)) run(job);
  const from = duration();
  const before = restores();
  const single = await rate(count, () => {
    for (const job of jobs.slice(WARM)) run(job);
  });
  print('one interpreter in this thread, no messages', single);
  const all = (1000 * count) / single.wall;
  const each = restores() - before;
  const put = duration() - from;
  console.log(
    `putting back: ${((1000 * put) / each).toFixed(0)} us, ` +
      `${(each / count).toFixed(0)} times a program; with holding the moment after compilation ${((100 * put) / all).toFixed(0)} % of the time`,
  );
}

/** Measures, in this thread, single calls that only the work count of the module ends. */
async function longestCalls(): Promise<void> {
  const interpreter = await SandboxInterpreter.start(await createNodeSource().parts());
  const { run } = timed(interpreter);
  for (const job of standardMix(WARM)) run(job);
  const calls = Object.values(ATTACKS_WORK).flat();
  const duration = calls.map(({ name, program }) => {
    const start = performance.now();
    interpreter.run({ program, entry: 'f', inputs: [[20, 22]], limits: LIMITS });
    return { name, milliseconds: performance.now() - start };
  });
  duration.sort((a, b) => b.milliseconds - a.milliseconds);
  const [longest, median] = [duration[0], duration[Math.floor(duration.length / 2)]];
  console.log(
    `${`until one of ${calls.length} long calls was ended, at most`.padEnd(46)} ${longest.milliseconds.toFixed(0).padStart(7)} ms   ` +
      `(${longest.name}; half of them within ${median.milliseconds.toFixed(0)} ms)`,
  );
}

/** Returns functions that run a job, and return the time of saving and restoring memory [ms] and the restore count. */
function timed(interpreter: SandboxInterpreter): { run(job: Job): void; duration(): number; restores(): number } {
  let [milliseconds, restores] = [0, 0];
  for (const name of ['retain', 'restoreHeld', 'restore'] as const) {
    const act = interpreter.pages[name].bind(interpreter.pages);
    interpreter.pages[name] = () => {
      const start = performance.now();
      act();
      milliseconds += performance.now() - start;
      if (name !== 'retain') restores++;
    };
  }
  return {
    run: ({ program, entry, tests }) =>
      void interpreter.run({ program, entry, inputs: tests.map(({ args }) => args), limits: LIMITS }),
    duration: () => milliseconds,
    restores: () => restores,
  };
}

const LOOP = `
def run(jobs):
    passed = 0
    for source, tests in jobs:
        world = {}
        exec(compile(source, '<program>', 'exec'), world)
        solve = world['solve']
        for args, expected in tests:
            passed += solve(*args) == expected
    return passed

def compile_alone(jobs):
    for source, tests in jobs:
        compile(source, '<program>', 'exec')
`;

/**
 * Measures the same programs in one Python without fuel and without fresh namespaces, and their compilation alone,
 * which is a lower bound of their time.
 */
async function unguarded(count: number): Promise<{ readonly loop: Rate; readonly compiling: Rate }> {
  // The unchanged module of Pyodide, without the instructions that mark written pages.
  const wasm = await WebAssembly.compile(new Uint8Array(pyodideFile('pyodide.asm.wasm')));
  const library = new Uint8Array(pyodideFile('python_stdlib.zip'));
  const { python } = await startInterpreter({ wasm, library });
  const execute = (source: string) => {
    const text = newText(python, source);
    if (python._PyRun_SimpleString(text) !== 0) throw new Error('the unguarded loop failed');
    python._free(text);
  };
  execute(LOOP);
  const jobs = standardMix(count + WARM).map(({ program, tests }) => [
    program,
    tests.map(({ args, expected }) => [args, expected]),
  ]);
  execute(`import json\njobs = json.loads(${JSON.stringify(JSON.stringify(jobs))})\nrun(jobs[:${WARM}])`);
  if (readText(python, python._PyUnicode_FromString(newText(python, 'x')), 1) !== 'x')
    throw new Error('strings do not come through');
  return {
    loop: await rate(count, () => execute(`run(jobs[${WARM}:])`)),
    compiling: await rate(count, () => execute(`compile_alone(jobs[${WARM}:])`)),
  };
}

function processes(count: number): number | undefined {
  const jobs = standardMix(count);
  const start = performance.now();
  for (const { program, tests } of jobs) {
    const calls = tests.map(({ args, expected }) => `print(solve(*${JSON.stringify(args)}) == ${expected})`);
    const { status, error } = spawnSync('python3', ['-c', `${program}\n${calls.join('\n')}`]);
    if (error || status !== 0) return undefined;
  }
  return (1000 * jobs.length) / (performance.now() - start);
}

interface Options {
  readonly programs: number;
  readonly processes: number;
  readonly humaneval: string | undefined;
  readonly cpython: string | undefined;
  readonly files: string | undefined;
  readonly table: string | undefined;
}

async function main({ programs, processes: processCount, humaneval, cpython, files, table }: Options): Promise<number> {
  if (cpython !== undefined) return checkCpython(cpython, files?.split(',') ?? [], table);
  if (humaneval !== undefined) return checkSolutions(humaneval);
  console.log(
    `${cpus()[0]?.model ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.version}, ${programs} programs of 8 tests`,
  );
  const single = await guarded(1, programs);
  print('sandbox, one worker, every guard on', single);
  print(`sandbox, pool of ${availableParallelism()}`, await guarded(availableParallelism(), programs));
  await puttingBack(Math.min(programs, 2000));
  await longestCalls();
  const { loop: free, compiling } = await unguarded(programs);
  print('unguarded loop in one Python', free);
  print('compiling alone in it', compiling);
  console.log(
    `${'share of the unguarded loop, by CPU'.padEnd(46)} ${((100 * single.cpu) / free.cpu).toFixed(0).padStart(7)} %`,
  );
  const each = processes(processCount);
  if (each === undefined) console.log('there is no python3 to compare with');
  else {
    console.log(`${'one CPython process a program'.padEnd(46)} ${each.toFixed(1).padStart(7)} /s`);
    console.log(`${'sandbox, one worker, against it'.padEnd(46)} ${(single.wall / each).toFixed(0).padStart(7)} times`);
  }
  return 0;
}

process.exit(
  await runBenchmark({
    name: 'bench:sandbox',
    description:
      'Programs per second of the sandbox, with every guard on, compared with the same programs in an unguarded loop inside one ' +
      'Python and with one CPython process per program. CPU times are of the whole process; on a busy machine they are more ' +
      'reliable than clock times. With --humaneval it prints instead the number of reference solutions of a file that pass ' +
      'their own checks; the exit code is 1 if some do not.',
    flags: {
      programs: integerFlag('Programs that each loop runs.', { min: 1, max: 1_000_000, default: 4000 }),
      processes: integerFlag('Programs that each run in a separate process.', { min: 1, max: 10_000, default: 20 }),
      humaneval: text('FILE', 'A file in the layout of HumanEval.jsonl.'),
      cpython: text(
        'FOLDER',
        "CPython's folder `test`: instead runs its tests of the features that programs may use; the exit code is 1 if some fail.",
      ),
      files: text('NAMES', 'With --cpython, only these files: test_list,test_dict.'),
      table: text('FILE', 'With --cpython, also writes the table to this file as Markdown.'),
    },
    examples: ['--programs 6000', '--humaneval HumanEval.jsonl'],
    run: main,
  }),
);
