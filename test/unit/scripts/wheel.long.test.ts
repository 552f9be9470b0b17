import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../../files.ts';

// Tests of the Python package, installed in an empty environment, and of the rule in its README.

const folder = mkdtempSync(join(tmpdir(), 'turnwise-wheel-'));
const program = (name: string, ...args: string[]) =>
  spawnSync(join(folder, 'venv/bin', name), args, { cwd: folder, encoding: 'utf8' });

const INSTALLING = 300_000;
beforeAll(() => {
  execFileSync('python3', ['-m', 'venv', join(folder, 'venv')]);
  const { status, stderr } = program('pip', 'install', '--quiet', join(root, 'python'));
  if (status !== 0) throw new Error(stderr);
}, INSTALLING);
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(join(root, 'python/build'), { recursive: true, force: true });
});

test('the installed wheel computes credit by a built-in rule and by the rule of the README', () => {
  const [, rule] = /```python\n([\s\S]*?)```/.exec(readFileSync(join(root, 'python/README.md'), 'utf8')) ?? [];
  writeFileSync(join(folder, 'my_rule.py'), rule);
  const turns = [1, 0].map((outcome) => ({ parent: -1, reward: 0, outcome }));
  writeFileSync(join(folder, 'groups.jsonl'), `${JSON.stringify({ id: 'a', turns })}\n`);
  const custom = program('turnwise-rl', 'credit', '--rule', './my_rule.py', '--set', 'gamma=.5', 'groups.jsonl');
  expect(custom).toMatchObject({ status: 0, stdout: '{"id":"a","advantage":[1,0]}\n' });
  const built = program('python', '-m', 'turnwise_rl', 'credit', '--rule', 'mt-grpo', 'groups.jsonl');
  expect(built).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/^warning: no turn has a reward, so mt-grpo gives .*\n1 group\n$/),
  });
});

test('the installed wheel has the version of package.json, and no package of another project', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(program('turnwise-rl', '--version').stdout).toBe(`turnwise-rl ${version}\n`);
  expect(program('pip', 'list', '--format=freeze').stdout).toContain(`turnwise-rl==${version}`);
  expect(program('python', '-c', 'import turnwise').status).toBe(1);
});
