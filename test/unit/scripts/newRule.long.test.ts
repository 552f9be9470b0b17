import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkTypes, copyRepository, runIn } from '../../tutorial.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-first-rule-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (program: string, ...args: string[]) => runIn(folder, program, ...args);

describe('`rules --new first-rule` on a copy of the repository', () => {
  let files: readonly string[] = [];
  beforeAll(() => {
    copyRepository(folder);
    files = run('src/cli/main.ts', 'rules', '--new', 'first-rule').trim().split('\n');
  });

  test('`rules --new` writes a kernel, a rule, its explanation, the rule in Python and a test, and adds the rule to the list', () => {
    expect(files).toEqual([
      'shaders/credit/first_rule.wgsl',
      'src/credit/rules/grpo/firstRule.ts',
      'src/credit/explained/firstRule.ts',
      'python/turnwise_rl/rules/first_rule.py',
      'test/unit/credit/rules/grpo/firstRule.test.ts',
      'src/credit/rules.ts',
    ]);
  });

  test('the files of `rules --new` pass the type check and the linter', () => {
    run('scripts/kernels.ts');
    expect(readFileSync(join(folder, 'src/gpu/kernelTypes.ts'), 'utf8')).toContain('credit/first_rule');
    checkTypes(folder);
    const scripts = files.filter((path) => path.endsWith('.ts'));
    run('node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', ...scripts);
  });

  test('the command `rules` explains a new rule and writes its page', () => {
    expect(run('src/cli/main.ts', 'rules', 'first-rule')).toContain('A_{i,k} = γ^(K_i − k) A_i');
    run('src/cli/main.ts', 'rules', '--docs', 'docs/reference/rules');
    expect(readFileSync(join(folder, 'docs/reference/rules/first-rule.md'), 'utf8')).toContain('# First rule');
  });

  test.each(['first-rule', './python/turnwise_rl/rules/first_rule.py'])(
    'the command `credit` computes the advantages of a new rule: %s',
    (rule) => {
      const turns = [
        { parent: -1, reward: 0 },
        { parent: 0, reward: 0 },
        { parent: 1, reward: 0, outcome: 1 },
        { parent: -1, reward: 0, outcome: -1 },
      ];
      writeFileSync(join(folder, 'groups.jsonl'), `${JSON.stringify({ id: 'g', turns })}\n`);
      const { advantage } = JSON.parse(
        run('src/cli/main.ts', 'credit', '--device', 'cpu', '--rule', rule, 'groups.jsonl'),
      );
      // Outcomes 1 and -1: mean 0, sample deviation √2, so A is ±1 / (√2 + 1e-6), halved for each later turn.
      const A = 1 / (Math.SQRT2 + 1e-6);
      [A / 4, A / 2, A, -A].forEach((expected, turn) => {
        expect(advantage[turn]).toBeCloseTo(expected, 12);
      });
    },
  );

  test('`rules --new` reports an error for an existing rule name and overwrites nothing', () => {
    expect(() => run('src/cli/main.ts', 'rules', '--new', 'first-rule')).toThrow('the rule "first-rule" exists');
  });
});
