import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandHelp, defineCommand, flagNames, parseArguments, wrap } from '../../../src/cli/framework/command.ts';
import { readConfiguration } from '../../../src/cli/framework/configurationFlags.ts';
import { choice, choiceListFlag, integerFlag, list, text, toggle } from '../../../src/cli/framework/flags.ts';
import { duration, Progress } from '../../../src/cli/framework/terminal.ts';
import { flat, progressNote } from '../../../src/cli/framework/worldRuns.ts';
import { COMMANDS } from '../../../src/cli/program.ts';
import { NoWebGpuError } from '../../../src/gpu/device.ts';
import { checkSavedRun } from '../../../src/storage/savedRun.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import { PRESETS } from '../../../src/training/data/worlds.ts';
import { CONTROLS, SETTINGS } from '../../searchTables.ts';
import { metricsOf, savedRun } from '../app/appFixtures.ts';
import { paperTerminal, temporaryFolder, turnwise } from './cliTerminal.ts';

// cspell:ignore sise

const { folder } = temporaryFolder();

const example = defineCommand({
  name: 'example',
  summary: '',
  description: '',
  flags: {
    size: integerFlag('A size.', { min: 1, max: 9, default: 3 }),
    out: text('FILE', 'A file.'),
    fast: toggle('Hurries.'),
    split: choice('A split.', ['train', 'held-out'], 'train'),
    also: list('WORD', 'More.', (value) => value.toUpperCase()),
    names: choiceListFlag('Some.', ['a', 'b', 'c'], ['a']),
  },
  parameters: [{ title: 'Controls', table: CONTROLS }],
  examples: [],
  run: async () => 0,
});

const parse = (...args: string[]) => parseArguments(example, args);

describe('arguments of a command', () => {
  test('arguments that are not given have their defaults', () => {
    const flags = { size: 3, out: undefined, fast: false, split: 'train', also: [], names: ['a'] };
    expect(parse()).toEqual({ flags, operands: [], parameters: {}, files: [] });
  });

  test('a value follows a space or an equals sign, and can be negative or contain an equals sign', () => {
    const { flags, parameters } = parse('--size', '4', '--out=a=b', '--fast', '--rewardSkip', '-0.5', '--alpha=0');
    expect(flags).toMatchObject({ size: 4, out: 'a=b', fast: true });
    expect(parameters).toEqual({ rewardSkip: -0.5, alpha: 0 });
  });

  test('a flag of the command hides a parameter of the same name, also in the help', () => {
    const hiding = {
      ...example,
      flags: { ...example.flags, alpha: integerFlag('Another.', { min: 2, max: 9, default: 3 }) },
    };
    expect(parseArguments(hiding, ['--alpha', '4'])).toMatchObject({ flags: { alpha: 4 }, parameters: {} });
    expect(commandHelp(hiding).match(/ {2}--alpha /g)).toHaveLength(1);
  });

  test('a flag with a list can be repeated', () => {
    expect(parse('--also', 'x', '--also=y').flags.also).toEqual(['X', 'Y']);
  });

  test('a list of choices is split at commas', () => {
    expect(parse('--names', 'c,a').flags.names).toEqual(['c', 'a']);
  });

  test('operands are accepted next to the flags if the command takes operands', () => {
    const operands = { placeholder: 'FILE', help: 'Files.', least: 1, maximum: 2 };
    const files = { ...example, operands };
    expect(parseArguments(files, ['a.jsonl', '--size', '4', '-']).operands).toEqual(['a.jsonl', '-']);
    expect(() => parseArguments(files, ['--fast'])).toThrow('FILE is missing: Files.');
    expect(() => parseArguments(files, ['a', 'b', 'c'])).toThrow('unexpected argument "c": example takes at most 2');
    expect(() => parseArguments(files, ['-x'])).toThrow('"-x" is not a flag');
    expect(() => parseArguments(files, [''])).toThrow('FILE is an empty string');
    expect(commandHelp(files)).toMatch(/ example \[FLAGS\] FILE \.\.\.\n\n.*FILE:\n {6}Files\.\n/s);
  });

  test.each([
    [['--sise', '4'], 'unknown flag --sise; did you mean --size?'],
    [['--learning-rate', '1'], 'unknown flag --learning-rate; did you mean --learningRate?'],
    [['--zebra'], 'unknown flag --zebra'],
    [['four'], 'unexpected argument "four"'],
    [['-x'], '"-x" is not a flag'],
    [['--size'], '--size needs a value: a whole number from 1 to 9'],
    [['--size', '--fast'], '--size needs a value'],
    [['--size', '10'], '--size: "10" is not a whole number from 1 to 9'],
    [['--size', '2.5'], '--size: "2.5" is not a whole number from 1 to 9'],
    [['--size', ''], '--size: "" is not a whole number from 1 to 9'],
    [['--size', '2', '--size', '3'], '--size is given twice'],
    [['--fast=yes'], '--fast takes no value, but got "yes"'],
    [['--out', ''], '--out: the value is empty; it needs FILE'],
    [['--split', 'test'], '--split: "test" is not one of train, held-out'],
    [['--names', 'a,d'], '--names: "d" is not one of a, b, c'],
    [['--names', 'a,a'], 'has a name twice'],
    [['--learningRate', '1'], '--learningRate: "1" is not a number from 0 to 0.01'],
    [['--learningRate', 'NaN'], '--learningRate: "NaN" is not a number from 0 to 0.01'],
    [['--rule', 'ppo'], '--rule: "ppo" is not one of mt-grpo'],
    [['--constructor', '1'], 'unknown flag --constructor'],
  ])('the arguments %j are rejected', (args, message) => {
    expect(() => parse(...args)).toThrow(message);
  });
});

describe('help', () => {
  test('the help of every command lists all its flags in lines of at most 120 characters', async () => {
    for (const command of COMMANDS) {
      const { code, out, err } = await turnwise(`${command.name} --help`);
      expect([code, err]).toEqual([0, '']);
      for (const name of flagNames(command)) expect(out).toContain(`\n  --${name}`);
      for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
    }
  });

  test('the help of a flag has its range, default and symbol', () => {
    const help = commandHelp(example);
    expect(help).toContain('(a whole number from 1 to 9; default 3)');
    expect(help).toMatch(/--learningRate X\n(?:.*\n){1,2}\s+\(η; a number from 0 to 0.01; default 0.0001\)/);
  });

  test('the help of the program lists the commands, on standard output only on request', async () => {
    const help = await turnwise('--help');
    expect([help.code, help.err]).toEqual([0, '']);
    const widest = Math.max(...COMMANDS.map(({ name }) => name.length));
    const lines = help.out.split('\n');
    for (const { name, summary } of COMMANDS) expect(lines).toContain(`  ${name.padEnd(widest)}  ${summary}`);
    const empty = await turnwise('');
    expect([empty.code, empty.out]).toEqual([2, '']);
    expect(empty.err).toBe(help.out);
    expect((await turnwise('help train')).out).toBe((await turnwise('train --help')).out);
  });

  test('lines of help are broken at spaces and retain their indentation', () => {
    expect(wrap('  one two three', 9)).toEqual(['  one two', '  three']);
  });
});

describe('the configuration of a command line', () => {
  test('the configuration is the preset, then --set, then the individual flags', () => {
    const set = [Object.entries({ learningRate: 2e-4, alpha: 0.5 })];
    const { controls, seed, settings } = readConfiguration({ preset: 'grpo-or', seed: 7, set }, { alpha: 0.25 });
    expect(controls).toMatchObject({ rule: 'grpo-or', learningRate: 2e-4, alpha: 0.25 });
    expect(seed).toBe(7);
    expect(Object.keys(settings)).toEqual(SETTINGS.map(({ name }) => name));
  });

  test('the configuration starts in the requested world with the training of that world', () => {
    const { controls, settings } = readConfiguration({ world: 'shortcut' }, { klCoef: 0.5 });
    expect(settings).toMatchObject({ knownShare: 1, known: 'asked', stale: 0.3, hallucinate: 0.7 });
    expect(controls).toMatchObject({ learningRate: 3e-4, klCoef: 0.5 });
    expect(readConfiguration({ world: 'shortcut' }, {})).toEqual(readConfiguration({}, {}));
    expect(readConfiguration({ world: 'open' }, {})).toEqual(defaultConfiguration('search'));
  });

  test('the configuration has the world of its preset, unless another world is requested', () => {
    expect(readConfiguration({ preset: 'open-or' }, {}).settings.stale).toBe(0);
    expect(readConfiguration({ preset: 'open-or', world: 'shortcut' }, {})).toMatchObject({
      settings: { stale: 0.3 },
      controls: { rule: 'grpo-or', learningRate: 3e-4 },
    });
  });

  test('the schedule of a preset is retained, and additional changes are inserted by step', () => {
    const at = [{ step: 5, changes: { learningRate: 0 } }];
    const { schedule } = readConfiguration({ preset: 'toggle', at }, {});
    expect(schedule.map(({ step }) => step)).toEqual([5, 40, 90]);
  });

  test('the terminal has the presets of the page', () => {
    for (const { name } of PRESETS) expect(readConfiguration({ preset: name }, {}).version).toBe(1);
  });
});

test('a machine without WebGPU prints instructions and writes no file', async () => {
  const openGpu = () => Promise.reject(new NoWebGpuError('no adapter.'));
  const out = join(folder, 'never.safetensors');
  const { code, err } = await turnwise(`warm-start --engine wgsl --stageSteps 3 --out ${out}`, { openGpu });
  expect([code, existsSync(out)]).toEqual([1, false]);
  expect(err).toMatch(/^turnwise: no adapter\. .*mesa-vulkan-drivers.* --engine exact needs no adapter\.$/m);
});

describe('progress of a command', () => {
  test('progress without a screen is one line every ten steps', () => {
    const { written, terminal } = paperTerminal();
    const progress = new Progress(terminal, 25);
    for (let step = 0; step < 25; step++) progress.advance('update', `note ${step}`);
    progress.close();
    const lines = written.err.split('\n');
    expect(lines.map((line) => line.split(' · ')[0])).toEqual(['update 10/25', 'update 20/25', 'update 25/25', '']);
    expect([lines[0], lines[2]]).toEqual([expect.stringContaining('left'), expect.stringContaining('took')]);
  });

  test('progress on a screen overwrites its line, which is narrower than the screen', () => {
    const { written, terminal } = paperTerminal({ interactive: true, columns: 40 });
    const progress = new Progress(terminal, 4, 2);
    progress.advance('update', 'a long note '.repeat(9));
    progress.write('step 3: rule');
    progress.advance('update', '');
    progress.close();
    expect(written.err.split('\r\x1b[2K')[1].split('\n')[0]).toHaveLength(39);
    expect(written.err).toContain('3/4');
    expect(written.err).toContain('\nstep 3: rule\n');
    expect(written.err.endsWith('\n')).toBe(true);
  });

  test('durations of progress have units', () => {
    expect([5.4, 65, 4800].map(duration)).toEqual(['5 s', '1 min 5 s', '1 h 20 min']);
  });
});

/** Metrics of an update of the Repair environment. */
const REPAIR = metricsOf(0, {
  ...{ rule: 'verpo', toolUse: null, retrieval: null, answer: null, format: null, searches: null, fill: 0.7 },
  facts: { pass1: 0.4, pass2: null, solved: 0.5 },
});

describe('help of an environment', () => {
  test.each([
    ['train --help', ['--knownShare', '--alpha', 'one of mt-grpo'], ['--programs', '--repairShare']],
    ['train --environment repair --help', ['--programs N', '--repairShare', 'default 0.0004'], ['--knownShare']],
    ['train --environment=repo --help', ['--granularity', '--filterUniform', 'default 0.1)'], ['--programs']],
    [
      'evaluate --environment repair --help',
      ['--iterations N', '--feedback NAMES', '--samples N', '--passAt N,N', '--runs N', '--scaffold NAMES'],
      ['--episodes', '--sharing'],
    ],
    ['evaluate --environment repo --help', ['--sharing N,N', '--json FILE'], ['--runs']],
    ['evaluate --help', ['--episodes N'], ['--iterations N']],
    ['warm-start --environment repo --help', ['--bugs'], ['--knownShare']],
  ])('%s prints only the flags of its environment', async (line, has, lacks) => {
    const { code, out } = await turnwise(line);
    expect(code).toBe(0);
    for (const text of has) expect(out).toContain(text);
    for (const text of lacks) expect(out).not.toContain(text);
  });
});

test('metrics are written as flat lines that contain the metrics of the environment', () => {
  const search = flat(metricsOf(3));
  expect(search).toMatchObject({ step: 3, toolUse: 0.5, searchProbability: null });
  expect(search).not.toHaveProperty('facts');
  const repair = flat(REPAIR);
  expect(repair).toMatchObject({ rule: 'verpo', pass1: 0.4, pass2: null, fill: 0.7 });
  for (const name of ['toolUse', 'retrieval', 'answer', 'format', 'searches', 'searchProbability', 'facts']) {
    expect(repair).not.toHaveProperty(name);
  }
  expect(progressNote(metricsOf(3))).toBe('mt-grpo · tool 0.50 · answer 0.50 · 100 ms');
  expect(progressNote(REPAIR)).toBe('verpo · at once 0.40 · solved 0.50 · 256 turns of 16 tasks · 100 ms');
});

describe('saved runs', () => {
  test('a saved run of the Repair environment is read', () => {
    const run = savedRun({ configuration: defaultConfiguration('repair'), metrics: [REPAIR] });
    expect(checkSavedRun(run)).toEqual(run);
  });

  test('a saved run with a change of an unknown parameter is rejected', () => {
    const events = [{ step: 0, kind: 'change', changes: { searchCost: 0.1 }, text: 'x' }] as const;
    const run = savedRun({ configuration: defaultConfiguration('repo'), events });
    expect(() => checkSavedRun(run)).toThrow('events[0].changes: unknown parameter "searchCost"');
  });
});
