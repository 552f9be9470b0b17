import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { notWritable } from '../../../../src/cli/output/outputFiles.ts';
import { isPlainFile, type Output, withOutputs } from '../../../../src/cli/output/outputs.ts';
import { WaitingText } from '../../../../src/cli/output/result.ts';

const base = mkdtempSync(join(tmpdir(), 'turnwise-outputs-'));
let folder = base;
let count = 0;
beforeEach(() => {
  folder = join(base, `${count++}`);
  mkdirSync(folder);
});
afterAll(() => rmSync(base, { recursive: true }));
const path = (name: string) => join(folder, name);
const text = (name: string) => readFileSync(path(name), 'utf8');
const never = { signal: new AbortController().signal };

/** Opens one output while `work` runs. */
function withOutput<Outcome>(file: string, work: (output: Output) => Promise<Outcome>, terminal = never) {
  return withOutputs(terminal, { out: file }, {}, ({ out }) => work(out));
}

describe('a plain file', () => {
  test('a written file is complete or unchanged, with no other file next to it', async () => {
    writeFileSync(path('a'), 'old');
    await withOutput(path('a'), async (output) => {
      expect(text('a')).toBe('old');
      await output.write('new');
      expect(text('a')).toBe('new');
      await output.write(new Uint8Array([104, 105]).buffer);
    });
    expect([text('a'), readdirSync(folder)]).toEqual(['hi', ['a']]);
  });

  test('the pieces of a result appear in a file together, or not at all', async () => {
    await withOutput(path('a'), async (output) => {
      const result = output.result();
      result.write('one ');
      result.write('two');
      expect(existsSync(path('a'))).toBe(false);
      await result.deliver();
    });
    await withOutput(path('a'), async (output) => output.result().write('lost'));
    expect([text('a'), readdirSync(folder)]).toEqual(['one two', ['a']]);
  });

  test('lines appear in a file immediately, and the file is not replaced', async () => {
    writeFileSync(path('a'), 'older and longer');
    const { ino } = statSync(path('a'));
    await withOutput(path('a'), async (output) => {
      expect(text('a')).toBe('older and longer');
      const write = output.lines();
      write('1\n');
      expect(text('a')).toBe('1\n');
      write('2\n');
    });
    expect([text('a'), statSync(path('a')).ino]).toEqual(['1\n2\n', ino]);
  });

  test('the target of a link is written, also if the target does not exist yet', async () => {
    mkdirSync(path('far'));
    writeFileSync(path('far/a'), 'old');
    symlinkSync('far/a', path('link'));
    symlinkSync('far/b', path('dangling'));
    symlinkSync('dangling', path('twice'));
    for (const name of ['link', 'twice']) await withOutput(path(name), (output) => output.write(name));
    expect([text('far/a'), text('far/b')]).toEqual(['link', 'twice']);
    expect(readdirSync(path('far'))).toEqual(['a', 'b']);
  });

  test('a replaced file retains its permissions', async () => {
    writeFileSync(path('a'), 'secret');
    chmodSync(path('a'), 0o600);
    await withOutput(path('a'), (output) => output.write('new'));
    expect(statSync(path('a')).mode & 0o777).toBe(0o600);
  });

  test('a file can have the longest valid name', async () => {
    const name = 'n'.repeat(252);
    await withOutput(path(name), (output) => output.write('x'));
    expect(readdirSync(folder)).toEqual([name]);
    await expect(withOutput(path('n'.repeat(256)), async () => {})).rejects.toThrow('(name too long)');
  });
});

/** Creates a null device. If this is not permitted, as for an ordinary user, creates a link to /dev/null. */
function nullDevice(): string {
  const result = spawnSync('mknod', [path('null'), 'c', '1', '3']);
  if (result.status !== 0) symlinkSync('/dev/null', path('null'));
  return path('null');
}

test('a plain file can have a file next to it, a device cannot, and a folder and a named pipe are rejected', () => {
  execFileSync('mkfifo', [path('pipe')]);
  writeFileSync(path('old'), '');
  const files = [path('new'), path('old'), nullDevice()];
  expect(files.map((file) => isPlainFile('out', file))).toEqual([true, true, false]);
  expect(() => isPlainFile('out', path('pipe'))).toThrow(`--out: ${path('pipe')} is a named pipe, not a file`);
  expect(() => isPlainFile('out', folder)).toThrow(`--out: ${folder} is a folder`);
});

describe('output to a device', () => {
  test.each([
    ['a complete result', (output: Output) => output.write('x')],
    ['a result in pieces', deliver],
    ['single lines', (output: Output) => addLines(output, 'x')],
  ])('output of %s to a device does not replace the device', async (_, act) => {
    const device = nullDevice();
    await withOutput(device, (output) => act(output));
    expect(statSync(device).isCharacterDevice()).toBe(true);
    expect(readdirSync(folder)).toEqual(['null']);
  });
});

async function deliver(output: Output): Promise<void> {
  const result = output.result();
  result.write('x');
  await result.deliver();
}

async function addLines(output: Output, ...all: string[]): Promise<void> {
  const write = output.lines();
  for (const line of all) write(line);
}

describe('outputs that cannot be written', () => {
  test.each([
    ['there is no folder', () => path('none/a')],
    ['is a folder', () => folder],
    ['is the name of a folder', () => path('none/')],
    ['cannot be written (', () => '/proc/self/nope'],
    ['cannot be written (not a directory)', () => '/etc/passwd/a'],
    ['cannot be written (too many symbolic links', () => link('round', 'round')],
  ])('an output that cannot be written is rejected before any work with the error "%s"', async (message, name) => {
    const work = vi.fn(async () => {});
    await expect(withOutput(name(), work)).rejects.toThrow(message);
    await expect(withOutput(name(), work)).rejects.toThrow(/^--out: /);
    expect(work).not.toHaveBeenCalled();
  });

  test('content that cannot be written at the end is saved elsewhere, and the error reports the file', async () => {
    mkdirSync(path('removed'));
    const file = path('removed/run.json');
    const failure: Error = await withOutput(file, async (output) => {
      rmSync(path('removed'), { recursive: true });
      await output.write('hours of work');
    }).catch((error) => error);
    expect(failure.message).toMatch(/^--out: .*run\.json cannot be written \(no such file or directory\); the /);
    const saved = / the content is in (.*)$/.exec(failure.message)?.[1] ?? '';
    expect(readFileSync(saved, 'utf8')).toBe('hours of work');
    rmSync(join(saved, '..'), { recursive: true });
  });

  test('if content cannot be saved elsewhere, the error lists the attempted folders', async () => {
    for (const name of ['TMPDIR', 'TEMP', 'HOME', 'USERPROFILE']) vi.stubEnv(name, path('nowhere'));
    const written = withOutput('/dev/full', (output) => output.write('x'));
    await expect(written).rejects.toThrow(
      `--out: /dev/full cannot be written (no space left on device); saving the content elsewhere failed too (${path('nowhere')}: no such file`,
    );
    vi.unstubAllEnvs();
  });

  test('an error of the disk is reported for results and for lines', async () => {
    const message = '--out: /dev/full cannot be written (no space left on device)';
    await expect(withOutput('/dev/full', deliver)).rejects.toThrow(message);
    await expect(withOutput('/dev/full', (output) => addLines(output, 'a', 'b'))).rejects.toThrow(message);
  });
});

/** Creates a link if it does not exist yet. */
function link(target: string, name: string): string {
  if (!readdirSync(folder).includes(name)) symlinkSync(target, path(name));
  return path(name);
}

test.each([
  ['folder', 'a folder'],
  ['disk', 'a disk'],
  ['socket', 'a socket'],
  ['pipe', 'a named pipe'],
  ['file', undefined],
])('notWritable returns the reason to reject an output of type %s: %s', (kind, expected) => {
  const is = {
    isDirectory: () => kind === 'folder',
    isBlockDevice: () => kind === 'disk',
    isSocket: () => kind === 'socket',
    isFIFO: () => kind === 'pipe',
  };
  expect(notWritable(is, false)).toBe(expected);
  // Standard output can be a socket or a pipe.
  expect(notWritable(is, true)).toBe(['folder', 'disk'].includes(kind) ? expected : undefined);
});

test('a large result without a folder for temporary files is an error that names the folder', () => {
  vi.stubEnv('TMPDIR', path('nowhere'));
  expect(() => new WaitingText(() => {})).toThrow(`${path('nowhere')} cannot be written (no such file or directory)`);
  vi.unstubAllEnvs();
});

describe('outputs that are inputs or other outputs', () => {
  const catchMessage = (requested: Record<string, string>, input?: string) =>
    withOutputs(never, requested, { inputs: input === undefined ? [] : [{ file: input }] }, async () => 'worked').catch(
      ({ message }) => message,
    );

  test('an output that is an input under any name is rejected', async () => {
    writeFileSync(path('log'), 'precious');
    symlinkSync('log', path('soft'));
    linkSync(path('log'), path('hard'));
    mkdirSync(path('sub'));
    for (const name of ['log', 'soft', 'hard', 'sub/../log']) {
      expect(await catchMessage({ out: `${folder}/${name}` }, path('log'))).toBe(
        `--out: ${folder}/${name} is also an input of this command`,
      );
    }
    expect(text('log')).toBe('precious');
  });

  test('two outputs with the same new file are rejected', async () => {
    symlinkSync(folder, path('here'));
    symlinkSync('new', path('soft'));
    for (const second of ['new', 'here/new', 'soft']) {
      const message = `--groups: ${path(second)} is also the file of --out`;
      expect(await catchMessage({ out: path('new'), groups: path(second) })).toBe(message);
    }
    expect(readdirSync(folder)).toEqual(['here', 'soft']);
  });

  test('a device can have several outputs, and a run can be continued in its own file', async () => {
    const device = nullDevice();
    expect(await catchMessage({ out: device, groups: device }, device)).toBe('worked');
    writeFileSync(path('kept'), '');
    const options = { inputs: [{ by: 'resume', file: path('kept') }], continues: { save: path('kept') } };
    expect(await withOutputs(never, { save: path('kept') }, options, async () => 'worked')).toBe('worked');
  });
});

describe('two processes with one output', () => {
  const LOCK = 'a.turnwise-lock';
  const holder = { pid: process.pid, started: '', host: hostname(), command: 'train', since: 'noon' };
  const lock = (parts: object) => writeFileSync(path(LOCK), JSON.stringify({ ...holder, ...parts }));
  const use = () => withOutput(path('a'), (output) => output.write('x'));

  test('a second process with the same output is rejected, and the error describes the first process', async () => {
    await withOutput(path('a'), async (output) => {
      await expect(use()).rejects.toThrow(`--out: ${path('a')} is being written by another process (`);
      await output.write('first');
    });
    expect([text('a'), readdirSync(folder)]).toEqual(['first', ['a']]);
    await use();
  });

  test('a lock that is a link without a target is an error, and not an endless loop', async () => {
    symlinkSync(path('absent'), path(LOCK));
    await expect(use()).rejects.toThrow(`is being written by other processes (${path(LOCK)} appears and disappears)`);
    rmSync(path(LOCK));
  });

  test.each([
    ['is running', {}, /being written by another process \(train \d+, since noon\)/],
    [
      'belongs to another machine',
      { host: 'elsewhere', pid: 1 },
      /another process \(train 1 on elsewhere, since noon\)/,
    ],
  ])('a lock whose process %s is not replaced', async (_, parts, message) => {
    lock(parts);
    await expect(use()).rejects.toThrow(message);
    expect(readdirSync(folder)).toEqual([LOCK]);
  });

  test('a lock of an ended process is replaced, and its unfinished files are removed', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    lock({ pid });
    writeFileSync(path('a.turnwise-part'), 'half, and longer than the next');
    // A file of the user.
    writeFileSync(path('a.part'), '');
    await use();
    expect([text('a'), readdirSync(folder)]).toEqual(['x', ['a', 'a.part']]);
  });

  test('a lock is replaced if its process id belongs to a later process', async () => {
    // Only /proc has the start time of a process.
    if (!existsSync('/proc/self/stat')) return;
    lock({ started: '1' });
    await use();
    expect(readdirSync(folder)).toEqual(['a']);
  });

  test('an empty lock refuses the second process if it is new, and is replaced if it is old', async () => {
    writeFileSync(path(LOCK), '');
    await expect(use()).rejects.toThrow('is being written by another process');
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    await use();
    vi.restoreAllMocks();
    expect(readdirSync(folder)).toEqual(['a']);
  });

  test('a file of the user with the name of a lock is not changed', async () => {
    writeFileSync(path(LOCK), 'diary');
    await expect(use()).rejects.toThrow(`${path(LOCK)} exists and is not a lock of this program`);
    expect(text(LOCK)).toBe('diary');
  });
});
