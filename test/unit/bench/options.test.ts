// cspell:ignore sise
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runBenchmark } from '../../../bench/options.ts';
import { UsageError } from '../../../src/cli/framework/errors.ts';
import { choice, integerFlag, text, toggle } from '../../../src/cli/framework/flags.ts';
import { filesUnder, root } from '../../files.ts';

const flags = {
  size: integerFlag('A size.', { min: 1, max: 9, default: 3 }),
  rule: choice('A rule.', ['all', 'rloo'], 'all'),
  json: text('FILE', 'A file.'),
  quick: toggle('Hurries.'),
};

/** Runs a benchmark that records its flags. */
async function runCommand(args: readonly string[], run: () => Promise<number> = async () => 7) {
  const given: unknown[] = [];
  const [out, err]: [string[], string[]] = [[], []];
  const benchmark = {
    name: 'bench:example',
    description: 'Times nothing.',
    flags,
    examples: ['--quick'],
    run: (values: unknown) => {
      given.push(values);
      return run();
    },
  };
  const code = await runBenchmark(benchmark, args, { out: (line) => out.push(line), err: (line) => err.push(line) });
  return { code, given, out: out.join(''), err: err.join('') };
}

describe('a benchmark', () => {
  test('a benchmark receives its flags and returns its exit code', async () => {
    const { code, given, out, err } = await runCommand(['--size=5', '--json', 'a.json', '--quick']);
    expect(given).toEqual([{ size: 5, rule: 'all', json: 'a.json', quick: true }]);
    expect([code, out, err]).toEqual([7, '', '']);
    expect((await runCommand([])).given).toEqual([{ size: 3, rule: 'all', json: undefined, quick: false }]);
  });

  test.each([[['--help']], [['-h']], [['--size', '99', '--help']]])('%j prints all benchmark flags', async (args) => {
    const { code, given, out, err } = await runCommand(args);
    expect([code, given, err]).toEqual([0, [], '']);
    expect(out).toContain('Usage: npm run bench:example -- [FLAGS]\n\nTimes nothing.');
    for (const name of [...Object.keys(flags), 'help']) expect(out).toContain(`  --${name}`);
    expect(out).toContain('(a whole number from 1 to 9; default 3)');
    expect(out).toContain('  npm run bench:example -- --quick\n');
  });

  test.each([
    [['--sise', '4'], 'unknown flag --sise; did you mean --size?'],
    [['--size', '10'], '--size: "10" is not a whole number from 1 to 9'],
    [['--size', 'many'], '--size: "many" is not a whole number from 1 to 9'],
    [['--rule', 'best'], '--rule: "best" is not one of all, rloo'],
    [['--json'], '--json needs a value: FILE'],
    [['--quick=no'], '--quick takes no value, but got "no"'],
    [['quick'], 'unexpected argument "quick": bench:example takes flags only'],
  ])('%j is rejected before the benchmark runs', async (args, message) => {
    const { code, given, out, err } = await runCommand(args);
    expect([code, given, out]).toEqual([2, [], '']);
    expect(err).toBe(`bench:example: ${message}\nevery flag: npm run bench:example -- --help\n`);
  });

  test('a usage error of a running benchmark is reported with exit code 2, and other errors are thrown', async () => {
    const throwing = (error: Error) => () => Promise.reject(error);
    const { code, err } = await runCommand([], throwing(new UsageError('a.json: line 3: no problem')));
    expect(code).toBe(2);
    expect(err).toContain('bench:example: a.json: line 3: no problem\n');
    await expect(runCommand([], throwing(new RangeError('of the program')))).rejects.toThrow('of the program');
  });
});

test('every benchmark of package.json runs under the name of its script', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const named = Object.entries<string>(scripts as Record<string, string>)
    .filter(([, command]) => command.includes(' bench/'))
    .map(([name, command]) => [command.replace('node scripts/run.mjs ', ''), name]);
  const names = filesUnder('bench', '.ts').flatMap((path) => {
    const source = readFileSync(join(root, path), 'utf8');
    const name = /await runBenchmark\(\{\s*name: '([^']+)'/.exec(source)?.[1];
    return name === undefined ? [] : [[path, name]];
  });
  expect(names.sort()).toEqual(named.sort());
});
