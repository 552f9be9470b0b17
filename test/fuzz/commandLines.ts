import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import fc from 'fast-check';
import { type Command, flagNames } from '../../src/cli/framework/command.ts';
import { type Flag, parameterFlag } from '../../src/cli/framework/flags.ts';
import { COMMANDS } from '../../src/cli/program.ts';
import { findRule } from '../../src/credit/rules.ts';
import { NoWebGpuError } from '../../src/gpu/device.ts';
import { writeGroups } from '../../src/rollouts/jsonLines.ts';
import { randomGroups } from '../randomForests.ts';
import { turnwise } from '../unit/cli/cliTerminal.ts';
import { fixture } from '../unit/rollouts/import/importLogs.ts';
import { CaseFolder, type Ended, expectRejection, reachedDevice } from './caseFolder.ts';
import type { Fuzzer } from './fuzzer.ts';

/** Returns a flag of a command, including the flags of its parameters. */
function flagOf(command: Command, name: string): Flag<unknown> | undefined {
  const parameter = command.parameters.flatMap(({ table }) => table).find((candidate) => candidate.name === name);
  return parameter ? parameterFlag(parameter) : command.flags[name];
}

type Flaw = 'unknown' | 'twice' | 'no value' | 'empty' | 'none of them' | 'value of a switch' | 'stray';

const INVALID = ['__proto__', 'constructor', 'toString', 'x'.repeat(4000), '\u001b[2J', 'rul', '中'];
const NO_NUMBERS = ['NaN', 'Infinity', '1e999', '-1e999', 'abc', '__proto__', '1,5', '١', '\u001b[2J'];

/** Returns the arguments of a flag with one flaw, or undefined if the flag cannot have this flaw. */
function flawed(command: Command, name: string, flaw: Flaw, pick: number): readonly string[] | undefined {
  const flag = flagOf(command, name);
  if (!flag) return undefined;
  const plain = flag.kind === 'value';
  const invalid = INVALID[pick % INVALID.length];
  const usual = String(flag.fallback ?? 'x') || '1';
  switch (flaw) {
    case 'unknown':
      return [`--${invalid}`, usual];
    case 'twice': {
      const once = plain ? [`--${name}`, usual] : flag.kind === 'switch' ? [`--${name}`] : undefined;
      return once && [...once, ...once];
    }
    case 'no value':
      return flag.kind === 'switch' ? undefined : pick % 2 === 0 ? [`--${name}`] : [`--${name}`, '--seed', '1'];
    case 'empty':
      return plain && flag.placeholder !== 'N,N' ? [`--${name}=`] : undefined;
    case 'none of them':
      if (!plain || flag.allowed === undefined) return undefined;
      return [`--${name}=${/^[NX]/.test(flag.placeholder) ? NO_NUMBERS[pick % NO_NUMBERS.length] : invalid}`];
    case 'value of a switch':
      return flag.kind === 'switch' ? [`--${name}=${usual}`] : undefined;
    case 'stray':
      return command.operands ? undefined : [invalid];
  }
}

const flaws: fc.Arbitrary<Flaw> = fc.constantFrom<Flaw>(
  ...(['unknown', 'twice', 'no value', 'empty', 'none of them', 'value of a switch', 'stray'] as const),
);

/** Words of a command line: existing and missing files, numbers, names. */
const ARGUMENTS = [
  ...['groups.jsonl', 'log.jsonl', 'empty', 'folder', 'nowhere', 'nowhere/x', 'folder/x', '-', '/dev/null'],
  ...[
    'grpo-or',
    'mt-grpo',
    'mt-ppo',
    'verl',
    'trl',
    'search',
    'cpu',
    'gpu',
    'train',
    'held-out',
    'trl',
    'learningRate=0',
  ],
  ...['0', '1', '2', '-1', '0.5', '1e999', 'NaN', '4294967296', '', ' ', '__proto__', 'x=y', 'a,b', '60:rule=grpo-or'],
  ...['--', '--=', '---', '-x', '--help=1', '\u001b[2J', '../../..', 'n'.repeat(300)],
];

interface LineCase {
  readonly command: Command;
  readonly flag: number;
  readonly pick: number;
  readonly flaw: Flaw | undefined;
  /** Numbers that select flags and words. */
  readonly soup: readonly number[];
}

const folder = new CaseFolder();
const noGpu = () => Promise.reject(new NoWebGpuError('these cases have no device.'));

/** All commands except `problems`, which runs for half a minute and by default writes into the project. */
const QUICK = COMMANDS.filter(({ name }) => name !== 'problems');

/** Commands that only read files and compute. The other commands train or run programs. */
const SHORT = ['credit', 'import', 'metrics', 'rules', 'why'];

/**
 * Runs a command line in the folder of the case, so that relative names refer to its files. A command that trains
 * receives a stop signal immediately.
 */
async function run(line: readonly string[]): Promise<Ended> {
  const here = process.cwd();
  const stop = new AbortController();
  if (!SHORT.includes(line[0])) stop.abort();
  process.chdir(folder.folder);
  try {
    return await turnwise(line, { openGpu: noGpu, signal: stop.signal });
  } finally {
    process.chdir(here);
  }
}

/** Fuzzer of command lines with one flaw, and of words in any order. */
export const commandLines: Fuzzer<LineCase> = {
  name: 'lines',
  about: 'command lines: one flaw in each, or flags and words in any order',
  caseCount: 40,
  cases: fc.record({
    command: fc.constantFrom(...COMMANDS),
    flag: fc.nat({ max: 1000 }),
    pick: fc.nat({ max: 1000 }),
    flaw: fc.option(flaws, { nil: undefined, freq: 2 }),
    soup: fc.array(fc.nat({ max: 100_000 }), { maxLength: 6 }),
  }),
  async checkCase({ command, flag, pick, flaw, soup }) {
    folder.clear();
    mkdirSync(folder.path('folder'));
    folder.file('empty', '');
    folder.file('groups.jsonl', writeGroups(randomGroups(findRule('mt-ppo'), 1, [3])));
    folder.file('log.jsonl', fixture('verl/10.jsonl'));
    const names = flagNames(command);
    const flawedArgs = flaw && flawed(command, names[flag % names.length], flaw, pick);
    if (flawedArgs) {
      const before = folder.listing();
      const line = [command.name, ...flawedArgs];
      const ended = await run(line);
      expectRejection(ended, `${JSON.stringify(line)}\nended with ${ended.code} and said\n${ended.err}`);
      assert.deepEqual(folder.listing(), before);
      return;
    }
    const { name } = QUICK[flag % QUICK.length];
    const known = flagNames(QUICK[flag % QUICK.length]);
    const args = soup.map((number) => {
      const index = Math.floor(number / 2);
      return number % 2 === 0 ? `--${known[index % known.length]}` : ARGUMENTS[index % ARGUMENTS.length];
    });
    const line = [name, ...args];
    const ended = await run(line);
    const description = `${JSON.stringify(line)}\nended with ${ended.code} and said\n${ended.err}`;
    // `grade` reads all files and reports each one that it cannot read.
    const files = name === 'grade' ? Math.max(1, args.length) : 1;
    if (ended.code === 2) expectRejection(ended, description, files);
    else if (ended.code === 1 && !reachedDevice(ended)) expectRejection({ ...ended, code: 2 }, description, files);
    else assert([0, 1, 130].includes(ended.code), description);
  },
};
