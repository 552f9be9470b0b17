import { describe, expect, test } from 'vitest';
import { installCommands, question } from '../../../scripts/packages.mjs';
import { agreement, isInteractive, isYes } from '../../../scripts/prompts.mjs';

const nothing = { gpu: false, chromium: false };
const both = { gpu: true, chromium: true };
const trixie = { id: 'debian', version: '13', codename: 'trixie', hasBackports: false };
const commandsFor = (missing: typeof both) => installCommands(trixie, missing) ?? [];

/** Returns a terminal that gives the same answer to every question, and the list of its questions. */
function answering(answer: string, person = true) {
  const requests: string[] = [];
  const requestAnswer = async (text: string) => {
    requests.push(text);
    return answer;
  };
  return { person, prompt: requestAnswer, requests };
}

describe('isInteractive', () => {
  const tty = { isTTY: true };

  test('isInteractive needs a terminal for input and output', () => {
    expect(isInteractive(tty, tty, {})).toBe(true);
    expect(isInteractive({}, tty, {})).toBe(false);
    expect(isInteractive(tty, {}, {})).toBe(false);
  });

  test.each(['true', '1', 'yes'])(
    'isInteractive returns false on a continuous integration service (CI=%s)',
    (value) => {
      expect(isInteractive(tty, tty, { CI: value })).toBe(false);
    },
  );

  test.each(['', '0', 'false'])('isInteractive returns true with CI=%s', (value) => {
    expect(isInteractive(tty, tty, { CI: value })).toBe(true);
  });
});

describe('isYes', () => {
  test.each(['y', 'Y', 'yes', ' yes '])('isYes accepts "%s"', (answer) => expect(isYes(answer)).toBe(true));
  test.each(['', 'n', 'no', 'yesterday', 'ok'])('isYes does not accept "%s"', (answer) =>
    expect(isYes(answer)).toBe(false),
  );
});

describe('question', () => {
  test('question names the missing parts, every command and its user', () => {
    const text = question(both, commandsFor(both));
    expect(text).toContain('This machine lacks a WebGPU adapter and a Chromium.');
    expect(text).toMatch(/as root: .*mesa-vulkan-drivers libvulkan1\n/);
    expect(text).toMatch(/as root: .* chromium\n/);
    expect(text).toMatch(/Run them now\? \[y\/N\] $/);
  });

  test('question lists a command without root rights as run by the user', () => {
    const ubuntu = { id: 'ubuntu', version: '24.04', codename: 'noble', hasBackports: false };
    const missing = { ...nothing, chromium: true };
    const text = question(missing, installCommands(ubuntu, missing) ?? []);
    expect(text).toContain('lacks a Chromium.');
    expect(text).toMatch(/as you: +npx playwright-core install/);
    expect(text).not.toContain('as root');
  });
});

describe('agreement', () => {
  const gpu = { ...nothing, gpu: true };

  test('agreement is given without a question if there is no person', async () => {
    const terminal = answering('n', false);
    expect(await agreement(terminal)(gpu, commandsFor(gpu))).toBe(true);
    expect(terminal.requests).toEqual([]);
  });

  test.each([
    ['y', true],
    ['', false],
    ['no', false],
  ])('agreement of a person who types "%s" is %s', async (answer, agreed) => {
    const terminal = answering(answer);
    expect(await agreement(terminal)(gpu, commandsFor(gpu))).toBe(agreed);
    expect(terminal.requests).toEqual([question(gpu, commandsFor(gpu))]);
  });

  test('agreement asks one question about all missing parts and reuses its answer', async () => {
    const terminal = answering('y');
    const agree = agreement(terminal, async () => ({ missing: both, commands: commandsFor(both) }));
    expect(await agree(gpu, commandsFor(gpu))).toBe(true);
    expect(await agree({ ...nothing, chromium: true }, [])).toBe(true);
    expect(terminal.requests).toEqual([question(both, commandsFor(both))]);
  });

  test('agreement reuses a refusal without another question', async () => {
    const terminal = answering('n');
    const agree = agreement(terminal);
    expect([await agree(gpu, []), await agree(gpu, [])]).toEqual([false, false]);
    expect(terminal.requests).toHaveLength(1);
  });
});
