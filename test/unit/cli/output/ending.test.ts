import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { assignCredit } from '../../../../src/cli/commands/creditRun.ts';
import { Interrupted } from '../../../../src/cli/framework/errors.ts';
import { Ending } from '../../../../src/cli/output/ending.ts';
import { runProgram } from '../../../../src/cli/program.ts';
import { findRule } from '../../../../src/credit/rules.ts';
import { writeGroups } from '../../../../src/rollouts/jsonLines.ts';
import { root } from '../../../files.ts';
import { outcomesOnly } from '../../../groups.ts';
import { paperTerminal, turnwise } from '../cliTerminal.ts';

const base = mkdtempSync(join(tmpdir(), 'turnwise-ending-'));
let folder = base;
let count = 0;
beforeEach(() => {
  folder = join(base, `${count++}`);
  mkdirSync(folder);
});
afterAll(() => rmSync(base, { recursive: true }));
const path = (name: string) => join(folder, name);

const LINE = writeGroups([outcomesOnly([1, 0], 'g')]);
const VERL = join(root, 'test/fixtures/import/verl/10.jsonl');
// A process of its own starts in a second or two, beside others in more.
const SLOW = 60_000;

/** The program in a process of its own, started without its launcher. */
function start(args: readonly string[], { redirect = '', env = {} } = {}) {
  const command = `exec "$0" "$@" ${redirect}`;
  const program = [process.execPath, '--import', 'tsx', 'src/cli/main.ts', ...args];
  const child = spawn('/bin/sh', ['-c', command, ...program], { cwd: root, env: { ...process.env, ...env } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    err += data;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, out, err }));
  return { child, ended };
}

const credit = (...args: string[]) => ['credit', '--device', 'cpu', '--rule', 'grpo-or', ...args];

/** Resolves when a file is there whose name ends so: the work has begun. */
const begun = (ending: string) =>
  vi.waitFor(() => expect(readdirSync(folder).filter((name) => name.endsWith(ending))).not.toEqual([]), SLOW);

describe('a process', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    'that is told to stop by %s ends with its code and leaves nothing',
    async (signal, code) => {
      const { child, ended } = start(credit('--out', path('out'), '-'));
      child.stdin.write(LINE);
      await begun('.part');
      child.kill(signal);
      expect(await ended).toMatchObject({ code, err: '\nstopping; once more to stop at once\n' });
      expect(readdirSync(folder)).toEqual([]);
    },
    SLOW,
  );

  test(
    'that cannot write standard output says so and fails',
    async () => {
      writeFileSync(path('in'), LINE);
      const found = await Promise.all([
        start(credit(path('in')), { redirect: '> /dev/full' }).ended,
        start(['rules'], { redirect: '> /dev/full' }).ended,
      ]);
      for (const { code, err } of found) {
        expect([code, err]).toEqual([1, 'turnwise: standard output: no space left on device\n']);
      }
    },
    SLOW,
  );

  test(
    'whose reader goes away ends quietly, and its temporary files with it',
    async () => {
      const rows = readFileSync(VERL, 'utf8').trimEnd().split('\n');
      // More than waits in memory.
      const note = 'x'.repeat(4_000_000);
      const long = rows.map((row) => JSON.stringify({ ...JSON.parse(row), note })).join('\n');
      writeFileSync(path('log.jsonl'), long);
      mkdirSync(path('tmp'));
      const { child, ended } = start(['import', '--from', 'verl', path('log.jsonl')], { env: { TMPDIR: path('tmp') } });
      child.stdout.once('data', () => child.stdout.destroy());
      const { code, err } = await ended;
      expect([code, err]).toEqual([0, '']);
      // tsx keeps what it compiled there.
      expect(readdirSync(path('tmp')).filter((name) => name.startsWith('turnwise'))).toEqual([]);
    },
    SLOW,
  );

  test(
    'that writes a file keeps others from it, and when it is killed the next one takes over',
    async () => {
      writeFileSync(path('in'), LINE);
      const first = start(credit('--out', path('out'), '-'));
      await begun('.part');
      const second = await start(credit('--out', path('out'), path('in'))).ended;
      expect([second.code, second.out]).toEqual([2, '']);
      const pid = first.child.pid;
      expect(second.err).toMatch(`--out: ${path('out')} is being written by another process (credit ${pid}, since `);
      first.child.kill('SIGKILL');
      await first.ended;
      expect(readdirSync(folder)).toEqual(['in', 'out.turnwise-lock', `out.turnwise-${pid}.part`].sort());
      expect(await turnwise(credit('--out', path('out'), path('in')))).toMatchObject({ code: 0 });
      expect(readdirSync(folder)).toEqual(['in', 'out']);
    },
    SLOW,
  );

  test(
    'that computes without a pause is ended by the second Ctrl-C through its launcher',
    async () => {
      const busy = `process.on('SIGINT', () => {}); process.stdout.write('busy'); for (;;);`;
      const launcher = `
        import { handOver } from './scripts/child.mjs';
        handOver(['--eval', ${JSON.stringify(busy)}], {});
      `;
      const child = spawn(process.execPath, ['--input-type=module', '--eval', launcher], { cwd: root });
      await once(child.stdout, 'data');
      const ended = once(child, 'close');
      child.kill('SIGINT');
      // As soon as a second wish counts as one.
      const again = setInterval(() => child.kill('SIGINT'), 100);
      expect(await ended).toEqual([130, null]);
      clearInterval(again);
    },
    SLOW,
  );
});

/** What `Ending` needs of a process: signals by name, two streams, and an end. */
function paperProcess(write: (text: string) => Error | undefined = () => undefined) {
  const said = { out: '', err: '' };
  const stream = (name: 'out' | 'err') =>
    new Writable({
      decodeStrings: false,
      write(text: string, _, done) {
        const error = name === 'out' && text !== '' ? write(text) : undefined;
        if (!error) said[name] += text;
        done(error);
      },
    });
  const exit = vi.fn();
  const own = Object.assign(new EventEmitter(), { stdout: stream('out'), stderr: stream('err'), exit });
  return { own, said, exit, ending: new Ending(own as unknown as NodeJS.Process) };
}

/** A command line in such a process. */
async function run(line: string, { ending }: ReturnType<typeof paperProcess>): Promise<void> {
  const { terminal } = paperTerminal({
    out: (text) => ending.out(text),
    err: (text) => ending.err(text),
    drained: () => ending.drained(),
    signal: ending.signal,
  });
  await ending.finish(await runProgram(line.split(' '), terminal));
}

describe('the end of a process', () => {
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', errno: -28 });
  const gone = Object.assign(new Error('EPIPE'), { code: 'EPIPE', errno: -32 });

  test('is its code, when all is through', async () => {
    const paper = paperProcess();
    await run('--version', paper);
    expect(paper.exit.mock.calls).toEqual([[0]]);
    expect(paper.said.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each([
    ['cannot be written', full, 1, 'turnwise: standard output: no space left on device\n'],
    ['is read no more', gone, 0, ''],
  ])('where standard output %s', async (_, error, code, message) => {
    const paper = paperProcess(() => error);
    await run('rules', paper);
    expect([paper.exit.mock.calls, paper.said.err]).toEqual([[[code]], message]);
    expect(paper.ending.signal.aborted).toBe(true);
    await expect(paper.ending.drained()).rejects.toThrow('standard output');
  });

  test('does not depend on who reads the progress', () => {
    const { own, ending } = paperProcess();
    own.stderr.destroy(gone);
    ending.err('still working\n');
    expect(ending.signal.aborted).toBe(false);
  });

  test('leaves the second Ctrl-C to the system, which needs no turn of a busy loop', () => {
    const { own, ending, said, exit } = paperProcess();
    own.emit('SIGINT');
    expect(ending.signal.aborted).toBe(true);
    expect(own.listenerCount('SIGINT')).toBe(0);
    expect([said.err, exit.mock.calls]).toEqual(['\nstopping; once more to stop at once\n', []]);
  });

  test('comes at once with a second signal, but one signal that comes twice is one', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
    const { own, exit } = paperProcess();
    own.emit('SIGTERM');
    now.mockReturnValue(1400);
    own.emit('SIGTERM');
    expect(exit).not.toHaveBeenCalled();
    now.mockReturnValue(1600);
    own.emit('SIGTERM');
    expect(exit.mock.calls).toEqual([[143]]);
    vi.restoreAllMocks();
  });

  test('tells when a stop came too late', async () => {
    const paper = paperProcess();
    paper.own.emit('SIGINT');
    await paper.ending.finish(0);
    expect(paper.exit.mock.calls).toEqual([[0]]);
    expect(paper.said.err).toContain('it was done before it could be stopped\n');
  });
});

test('credit can be stopped between the groups of one piece of a file', async () => {
  const rule = findRule('grpo-or');
  let worked = 0;
  const slow = {
    ...rule,
    credit: (...given: Parameters<typeof rule.credit>) => {
      worked++;
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
  expect(worked).toBeLessThan(1000);
});

describe('nothing is done before every output has been tried:', () => {
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
    ['record --out', 'out'],
    ['problems --out', 'out'],
  ])('%s', async (line, flag) => {
    const opened = vi.fn(() => Promise.reject(new Error('opened')));
    const here = process.cwd();
    process.chdir(folder);
    try {
      for (const file of ['none/', '/proc/self/nope', 'n'.repeat(256)]) {
        const { code, out, err } = await turnwise(`${line} ${file}`, { openGpu: opened });
        expect([code, out]).toEqual([2, '']);
        expect(err).toMatch(new RegExp(`^turnwise: --${flag}: `));
      }
    } finally {
      process.chdir(here);
    }
    expect(opened).not.toHaveBeenCalled();
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['credit --rule grpo-or --device cpu --out FILE FILE', 'is the file of rollouts itself'],
    ['exec --out FILE FILE', 'is the file of jobs itself'],
    ['import --from verl --out FILE FILE', 'is the log itself'],
    ['evaluate --checkpoint FILE --json FILE', 'is the file of --checkpoint itself'],
    ['compare --checkpoint FILE --svg FILE', 'is the file of --checkpoint itself'],
    ['compare --json FILE --svg FILE', 'is the file of --json too'],
    ['compare --json /dev/null', 'is no plain file; it is read again'],
    ['truth --checkpoint FILE --json FILE', 'is the file of --checkpoint itself'],
    ['record --checkpoint FILE --out FILE', 'is the file of --checkpoint itself'],
    ['evaluate --environment repair --tasks FILE --json FILE', 'is the file of --tasks itself'],
    ['rules --docs FILE', 'is no folder'],
  ])('%s', async (line, message) => {
    writeFileSync(path('file'), 'precious');
    const { code, out, err } = await turnwise(line.replaceAll('FILE', path('file')));
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(readFileSync(path('file'), 'utf8')).toBe('precious');
    expect(readdirSync(folder)).toEqual(['file']);
  });
});
