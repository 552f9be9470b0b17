import { EventEmitter } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { assignCredit } from '../../../../src/cli/commands/creditRun.ts';
import { Interrupted } from '../../../../src/cli/framework/errors.ts';
import { endPlainly, ShutdownHandler } from '../../../../src/cli/output/shutdown.ts';
import { runProgram } from '../../../../src/cli/program.ts';
import { findRule } from '../../../../src/credit/rules.ts';
import { expectRejected, paperTerminal } from '../cliTerminal.ts';
import { credit, expectStop, folder, foldersOfTests, LINE, path, SLOW, start } from './programProcess.ts';

foldersOfTests();

describe('a process', () => {
  test.each([['SIGINT', 130]] as const)(
    'a process stopped by %s exits with the code of the signal and leaves no file',
    expectStop,
    SLOW,
  );

  test(
    'a process that cannot write standard output reports this and fails',
    async () => {
      writeFileSync(path('in'), LINE);
      const results = await Promise.all([
        start(credit(path('in')), { redirect: '> /dev/full' }).ended,
        start(['rules'], { redirect: '> /dev/full' }).ended,
      ]);
      for (const { code, err } of results) {
        expect([code, err]).toEqual([
          1,
          expect.stringContaining('turnwise: standard output: no space left on device\n'),
        ]);
      }
    },
    SLOW,
  );
});

/** Returns the parts of a process that `ShutdownHandler` uses: signals by name, two streams and `exit`. */
function paperProcess(write: (text: string) => Error | undefined = () => undefined) {
  const output = { out: '', err: '' };
  const stream = (name: 'out' | 'err') =>
    new Writable({
      decodeStrings: false,
      write(text: string, _, done) {
        const error = name === 'out' && text !== '' ? write(text) : undefined;
        if (!error) output[name] += text;
        done(error);
      },
    });
  const exit = vi.fn();
  const fakeProcess = Object.assign(new EventEmitter(), { stdout: stream('out'), stderr: stream('err'), exit });
  return { fakeProcess, output, exit, shutdown: new ShutdownHandler(fakeProcess as unknown as NodeJS.Process) };
}

/** Runs a command line in such a process. */
async function run(line: string, { shutdown }: ReturnType<typeof paperProcess>): Promise<void> {
  const { terminal } = paperTerminal({
    out: (text) => shutdown.out(text),
    err: (text) => shutdown.err(text),
    drained: () => shutdown.drained(),
    signal: shutdown.signal,
  });
  await shutdown.finish(await runProgram(line.split(' '), terminal));
}

describe('the end of a process', () => {
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', errno: -28 });
  const closed = Object.assign(new Error('EPIPE'), { code: 'EPIPE', errno: -32 });

  test('a process exits with the code of its command after all output is written', async () => {
    const paper = paperProcess();
    await run('--version', paper);
    expect(paper.exit.mock.calls).toEqual([[0]]);
    expect(paper.output.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each([
    ['cannot be written', full, 1, 'turnwise: standard output: no space left on device\n'],
    ['is closed by its reader', closed, 0, ''],
  ])('a process stops if standard output %s', async (_, error, code, message) => {
    const paper = paperProcess(() => error);
    await run('rules', paper);
    expect([paper.exit.mock.calls, paper.output.err]).toEqual([[[code]], message]);
    expect(paper.shutdown.signal.aborted).toBe(true);
    await expect(paper.shutdown.drained()).rejects.toThrow('standard output');
  });

  test('a closed standard error does not stop the process', () => {
    const { fakeProcess, shutdown } = paperProcess();
    fakeProcess.stderr.destroy(closed);
    shutdown.err('still working\n');
    expect(shutdown.signal.aborted).toBe(false);
  });

  test('the second Ctrl-C is handled by the system, which also ends a busy loop', () => {
    const { fakeProcess, shutdown, output, exit } = paperProcess();
    fakeProcess.emit('SIGINT');
    expect(shutdown.signal.aborted).toBe(true);
    expect(fakeProcess.listenerCount('SIGINT')).toBe(0);
    expect([output.err, exit.mock.calls]).toEqual(['\nstopping; press Ctrl-C again to stop at once\n', []]);
  });

  test('a second signal exits immediately, but a signal that is repeated within 500 ms counts once', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
    const { fakeProcess, exit } = paperProcess();
    fakeProcess.emit('SIGTERM');
    now.mockReturnValue(1400);
    fakeProcess.emit('SIGTERM');
    expect(exit).not.toHaveBeenCalled();
    now.mockReturnValue(1600);
    fakeProcess.emit('SIGTERM');
    expect(exit.mock.calls).toEqual([[143]]);
    vi.restoreAllMocks();
  });

  test('a stop request after the end of the command is reported', async () => {
    const paper = paperProcess();
    paper.fakeProcess.emit('SIGINT');
    await paper.shutdown.finish(0);
    expect(paper.exit.mock.calls).toEqual([[0]]);
    expect(paper.output.err).toContain('the command had already finished\n');
  });
});

test('credit can be stopped between the groups of one piece of a file', async () => {
  const rule = findRule('grpo-or');
  let onUpdate = 0;
  const slow = {
    ...rule,
    credit: (...given: Parameters<typeof rule.credit>) => {
      onUpdate++;
      const until = performance.now() + 2;
      while (performance.now() < until);
      return rule.credit(...given);
    },
  };
  const stop = new AbortController();
  async function* once() {
    yield Buffer.from(LINE.repeat(2000));
  }
  setTimeout(() => stop.abort(), 0);
  const working = assignCredit(once(), { rule: slow, parameters: {} }, () => {}, undefined, stop.signal);
  await expect(working).rejects.toThrow(Interrupted);
  expect(onUpdate).toBeLessThan(1000);
});

describe('checks of outputs before any work', () => {
  const world = '--questions 2 --groupSize 2';
  test.each([
    [`train ${world} --steps 3 --save`, 'save'],
    [`train ${world} --steps 3 --out`, 'out'],
    [`train ${world} --steps 3 --groups`, 'groups'],
    ['evaluate --json', 'json'],
    ['compare --json', 'json'],
    ['compare --svg', 'svg'],
    ['compare --environment repo --markdown', 'markdown'],
    ['truth --json', 'json'],
    ['warm-start --out', 'out'],
    ['problems --out', 'out'],
  ])('%s with an invalid file is rejected before any work', async (line, flag) => {
    const opened = vi.fn(() => Promise.reject(new Error('opened')));
    const here = process.cwd();
    process.chdir(folder);
    try {
      for (const file of ['none/', '/proc/self/nope', 'n'.repeat(256)]) {
        await expectRejected(`${line} ${file}`, new RegExp(`^turnwise: --${flag}: `), { openGpu: opened });
      }
    } finally {
      process.chdir(here);
    }
    expect(opened).not.toHaveBeenCalled();
    expect(readdirSync(folder)).toEqual([]);
  });
});

test.each(['uncaughtException', 'unhandledRejection'])('an %s ends the program with one line and no stack', (event) => {
  const program = Object.assign(new EventEmitter(), {
    codes: [] as number[],
    exit: (code: number) => void program.codes.push(code),
  });
  let message = '';
  endPlainly(program, (text) => {
    message += text;
  });
  program.emit(event, new TypeError('x is not a function'));
  program.emit(event, 'thrown as text');
  expect(program.codes).toEqual([1, 1]);
  expect(message).toBe(
    'turnwise: unhandled error: x is not a function\n' + 'turnwise: unhandled error: thrown as text\n',
  );
});
