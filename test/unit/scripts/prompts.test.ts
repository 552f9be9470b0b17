import { describe, expect, test } from 'vitest';
import { installCommands, question } from '../../../scripts/packages.mjs';
import { agreement, isYes, personSits } from '../../../scripts/prompts.mjs';

const nothing = { gpu: false, chromium: false };
const both = { gpu: true, chromium: true };
const trixie = { id: 'debian', version: '13', codename: 'trixie', hasBackports: false };
const commandsFor = (missing: typeof both) => installCommands(trixie, missing) ?? [];

/** Returns a terminal that gives the same answer repeatedly, and the list of its questions. */
function answering(answer: string, person = true) {
  const requests: string[] = [];
  const requestAnswer = async (text: string) => {
    requests.push(text);
    return answer;
  };
  return { person, prompt: requestAnswer, requests };
}

describe('personSits', () => {
  const tty = { isTTY: true };

  test('needs a terminal on both ends', () => {
    expect(personSits(tty, tty, {})).toBe(true);
    expect(personSits({}, tty, {})).toBe(false);
    expect(personSits(tty, {}, {})).toBe(false);
  });

  test.each(['true', '1', 'yes'])('is false for a continuous integration service (CI=%s)', (value) => {
    expect(personSits(tty, tty, { CI: value })).toBe(false);
  });

  test.each(['', '0', 'false'])('CI=%s is none', (value) => {
    expect(personSits(tty, tty, { CI: value })).toBe(true);
  });
});

describe('isYes', () => {
  test.each(['y', 'Y', 'yes', ' yes '])('"%s" is a yes', (answer) => expect(isYes(answer)).toBe(true));
  test.each(['', 'n', 'no', 'yesterday', 'ok'])('"%s" is none', (answer) => expect(isYes(answer)).toBe(false));
});

describe('question', () => {
  test('names what is missing, every command, and who runs it', () => {
    const text = question(both, commandsFor(both));
    expect(text).toContain('This machine lacks a WebGPU adapter and a Chromium.');
    expect(text).toMatch(/as root: .*mesa-vulkan-drivers libvulkan1\n/);
    expect(text).toMatch(/as root: .* chromium\n/);
    expect(text).toMatch(/Run them now\? \[y\/N\] $/);
  });

  test("states what runs with the user's own rights", () => {
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

  test('is given without a question if there is no person', async () => {
    const terminal = answering('n', false);
    expect(await agreement(terminal)(gpu, commandsFor(gpu))).toBe(true);
    expect(terminal.requests).toEqual([]);
  });

  test.each([
    ['y', true],
    ['', false],
    ['no', false],
  ])('a person who types "%s"', async (answer, agreed) => {
    const terminal = answering(answer);
    expect(await agreement(terminal)(gpu, commandsFor(gpu))).toBe(agreed);
    expect(terminal.requests).toEqual([question(gpu, commandsFor(gpu))]);
  });

  test('one question is about everything that the run will lack, and its answer holds', async () => {
    const terminal = answering('y');
    const agree = agreement(terminal, async () => ({ missing: both, commands: commandsFor(both) }));
    expect(await agree(gpu, commandsFor(gpu))).toBe(true);
    expect(await agree({ ...nothing, chromium: true }, [])).toBe(true);
    expect(terminal.requests).toEqual([question(both, commandsFor(both))]);
  });

  test('a refusal holds too', async () => {
    const terminal = answering('n');
    const agree = agreement(terminal);
    expect([await agree(gpu, []), await agree(gpu, [])]).toEqual([false, false]);
    expect(terminal.requests).toHaveLength(1);
  });
});
