import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoWebGpuError } from '../../src/gpu/device.ts';
import { turnwise } from '../unit/cli/cliTerminal.ts';

/** Result of a command line. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Message for a missing device. A command that reports it has accepted its input. */
const NO_DEVICE = 'these cases have no device';
const noGpu = () => Promise.reject(new NoWebGpuError(`${NO_DEVICE}.`));

/** Temporary folder of a fuzzer with the files of one case. */
export class CaseFolder {
  readonly folder = mkdtempSync(join(tmpdir(), 'turnwise-fuzz-'));

  constructor() {
    process.once('exit', () => rmSync(this.folder, { recursive: true, force: true }));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Writes a file of the case and returns its path. */
  file(name: string, content: string | Uint8Array): string {
    writeFileSync(this.path(name), content);
    return this.path(name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  /** Removes all files of the previous case. */
  clear(): void {
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder);
  }

  /**
   * Runs a command line that reads a file of the case. For any content of the file, the command ends with 0, or with 2
   * and a message that names the file. It may also run until it needs a device. It leaves no files behind unless it
   * ends with 0.
   * @param input name of the file in the folder
   * @param description description of the case, for a failure
   * @param messages patterns that the message of a rejection must also match
   * @returns true if the file was accepted
   */
  async accepts(
    args: readonly string[],
    input: string,
    description: string,
    messages: readonly RegExp[] = [],
  ): Promise<boolean> {
    const before = this.listing();
    const ended = await turnwise(args, { openGpu: noGpu });
    const report = `${args.join(' ')}\n${description}\nended with ${ended.code} and said\n${ended.err}`;
    if (ended.code === 0) return true;
    assert.deepEqual(this.listing(), before, `${report}left something behind`);
    if (reachedDevice(ended)) return true;
    expectRejection(ended, report);
    for (const text of [this.path(input), ...messages]) {
      const isMatch = typeof text === 'string' ? ended.err.includes(text) : text.test(ended.err);
      assert(isMatch, `${report}without ${text}`);
    }
    return false;
  }

  /** Returns the sorted paths of all files and folders in the folder. */
  listing(): string[] {
    return readdirSync(this.folder, { recursive: true, encoding: 'utf8' }).sort();
  }
}

/** Returns true if a command accepted its input and failed only because there is no device. */
export function reachedDevice({ code, err }: Ended): boolean {
  return code === 1 && err.includes(NO_DEVICE);
}

/**
 * Asserts that a command rejected its input properly: exit code 2, an empty standard output, few lines and no stack.
 * @param files number of files that the command may report on, with one line for each
 */
export function expectRejection({ code, out, err }: Ended, report: string, files = 1): void {
  assert.equal(code, 2, report);
  assert.equal(out, '', report);
  const lines = err.split('\n');
  assert.equal(lines.pop(), '', report);
  assert(lines[0].startsWith('turnwise: '), report);
  assert(lines.length <= 2 + files, `${report}in ${lines.length} lines`);
  assert(err.length < 3000, `${report}in ${err.length} characters`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not reach a screen
  assert(!/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/.test(err), `${report}with control characters`);
  assert(
    !/\n\s+at |node:internal|\.[jt]s:\d+|is not a function|Cannot (read|destructure)/.test(err),
    `${report}with a stack`,
  );
}

/** Returns the first 1,500 characters of a text for a message. */
export function begin(text: string | Uint8Array): string {
  const all = typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
  return all.length > 1500 ? `${all.slice(0, 1500)}… (${all.length} characters)` : all;
}
