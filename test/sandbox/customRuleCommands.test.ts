import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readArms } from '../../src/cli/commands/compare.ts';
import { tablesOf } from '../../src/training/data/configurationTables.ts';
import { ruleText } from '../pythonRules.ts';
import { randomGroups } from '../randomForests.ts';
import { turnwise } from '../unit/cli/cliTerminal.ts';

// Rule files on the command line: checks before a device is opened, and the `credit` command, which opens no device.

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwise-own-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const lines = (groups: readonly object[]) => groups.map((group) => `${JSON.stringify(group)}\n`).join('');

test('credit with a copy of a built-in rule prints the lines of the built-in rule', async () => {
  const groups = file('groups.jsonl', lines(randomGroups({ input: 'trajectories' }, 5, [2, 8])));
  for (const name of ['mt-grpo', 'rtmc', 'mt-ppo']) {
    const rule = file(`${name}.py`, ruleText(name));
    const custom = await turnwise(['credit', '--rule', rule, groups]);
    const built = await turnwise(['credit', '--rule', name, '--device', 'cpu', groups]);
    expect(custom).toMatchObject({ code: 0, err: expect.stringMatching(/^2 (of 2 )?groups/) });
    expect(custom.out, name).toBe(built.out);
  }
});

test('credit accepts the parameters of a rule file and rejects others', async () => {
  const groups = file('groups.jsonl', lines(randomGroups({ input: 'trajectories' }, 5, [2, 8])));
  const rule = file('mine.py', ruleText('mt-grpo'));
  const given = ['--set', 'alpha=.5,profile=trl'];
  const custom = await turnwise(['credit', '--rule', rule, ...given, groups]);
  const built = await turnwise(['credit', '--rule', 'mt-grpo', ...given, '--device', 'cpu', groups]);
  expect(custom.out).toBe(built.out);
  const wrong = await turnwise(['credit', '--rule', rule, '--set', 'beta=1', groups]);
  expect(wrong).toMatchObject({ code: 2, out: '' });
  expect(wrong.err).toContain('has no parameter "beta"');
  const far = await turnwise(['credit', '--rule', rule, '--set', 'alpha=2', groups]);
  expect(far.err).toContain('is not a number from 0 to 1');
});

test('credit reports an error of a rule file with file, line and turn, and writes nothing', async () => {
  const groups = file('groups.jsonl', lines(randomGroups({ input: 'trajectories' }, 5, [2, 8])));
  const out = join(folder, 'credit.jsonl');
  const rule = file('bad.py', 'def credit(group):\n    return [1.0, float("nan")] * (len(group.turns) // 2)\n');
  const result = await turnwise(['credit', '--rule', rule, '--out', out, groups]);
  expect(result.code).not.toBe(0);
  expect(result.err).toMatch(/bad\.py, line 1, group ".*"(, turn 1: the advantage is NaN|: returned \d+ advantages)/);
  expect(existsSync(out)).toBe(false);
  const missing = await turnwise(['credit', '--rule', join(folder, 'none.py'), groups]);
  expect(missing.err).toContain('none.py');
  const tree = file(
    'tree.jsonl',
    lines([
      { id: 't', turns: [{ parent: -1, reward: 0 }, ...[0, 0].map((parent) => ({ parent, reward: 0, outcome: 1 }))] },
    ]),
  );
  const rejected = await turnwise(['credit', '--rule', file('mt.py', ruleText('mt-grpo')), tree]);
  const built = await turnwise(['credit', '--rule', 'mt-grpo', '--device', 'cpu', tree]);
  expect(rejected.err).toBe(built.err);
});

test('train rejects a file that is not a rule before it opens a device', async () => {
  const rule = file('loop.py', 'def credit(group)\n    pass\n');
  const result = await turnwise(['train', '--rule', rule, '--steps', '1']);
  expect(result.err).toMatch(/loop\.py, line 1: does not parse/);
  const unknown = await turnwise([
    'train',
    '--rule',
    file('ok.py', ruleText('mt-grpo')),
    '--set',
    'beta=1',
    '--steps',
    '1',
  ]);
  expect(unknown.err).toContain('has a parameter "beta"');
});

test('an arm of a rule file contains the source, and its name ends with a hash of the source', async () => {
  const path = file('arm.py', ruleText('mt-grpo'));
  const [built, custom] = await readArms(tablesOf('search'), ['mt-grpo', `${path}:alpha=.5:learningRate=2e-4`]);
  expect(built).toEqual({ name: 'mt-grpo', rule: 'mt-grpo', changes: {} });
  expect(custom.name).toMatch(/arm\.py \(alpha 0\.5\)#[0-9a-f]{8}:learningRate=0\.0002$/);
  expect(custom.changes).toEqual({ learningRate: 2e-4 });
  expect(JSON.parse(custom.rule.slice('own:'.length))).toMatchObject({
    values: { alpha: 0.5 },
    source: readFileSync(path, 'utf8'),
  });
  await expect(readArms(tablesOf('search'), [`${path}:beta=1`])).rejects.toThrow('has a parameter "beta"');
});
