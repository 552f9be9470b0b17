import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, checkTypes, follow, patched, runIn } from '../../tutorial.ts';

const HEADING = 'Your first rule in 20 minutes';
const folder = mkdtempSync(join(tmpdir(), 'turnwise-first-rule-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (program: string, ...args: string[]) => runIn(folder, program, ...args);

describe('the steps of CONTRIBUTING.md, on a copy of the repository', () => {
  beforeAll(() => follow(HEADING, folder));

  test('are four: a kernel, a rule, the list, and where it is offered', () => {
    expect(blocksOf(HEADING).map(({ file }) => file)).toEqual([
      'shaders/credit/discounted_spread.wgsl',
      'src/credit/rules/grpo/discountedOutcome.ts',
      'src/credit/rules.ts',
      'src/environments/search/index.ts',
    ]);
  });

  test('give code that the compiler takes, with the types of the new kernel', () => {
    run('scripts/kernels.ts');
    expect(readFileSync(join(folder, 'src/gpu/kernelTypes.ts'), 'utf8')).toContain('credit/discounted_spread');
    checkTypes(folder);
  });

  test('give a rule that the terminal explains, writes a page of, and works out', () => {
    expect(run('src/cli/main.ts', 'rules', 'discounted-outcome')).toContain('A_{i,k} = γ^(K_i − k) A_i');
    run('src/cli/main.ts', 'rules', '--docs', 'docs/rules');
    expect(readFileSync(join(folder, 'docs/rules/discounted-outcome.md'), 'utf8')).toContain('# Discounted outcome');
    const turns = [
      ...[
        { parent: -1, reward: 0 },
        { parent: 0, reward: 0 },
        { parent: 1, reward: 0, outcome: 1 },
      ],
      ...[{ parent: -1, reward: 0, outcome: 0 }],
    ];
    writeFileSync(join(folder, 'groups.jsonl'), `${JSON.stringify({ id: 'g', turns })}\n`);
    const line =
      'credit --device cpu --rule discounted-outcome --set gamma=0.5 --set epsilon=0 --set ddof=0 groups.jsonl';
    const { advantage } = JSON.parse(run('src/cli/main.ts', ...line.split(' ')));
    // Outcomes 1 and 0: mean 0.5, deviation 0.5, so A is 1 and -1; halved once for each turn that follows.
    expect(advantage).toEqual([0.25, 0.5, 1, -1]);
  });
});

test('a line of a diff goes behind the line before it, which stands there once', () => {
  expect(patched('a\nb\nc', ' b\n+x\n+y\n', 'f')).toBe('a\nb\nx\ny\nc');
  expect(patched('a\nb\nc', ' a\n-b\n+x\n', 'f')).toBe('a\nx\nc');
  expect(() => patched('a\na', ' a\n+x\n', 'f')).toThrow('f has the line "a" 2 times, not once');
});
