import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newRuleFiles } from '../../../src/cli/commands/rules.ts';
import { root } from '../../files.ts';
import { blocksOf, patched } from '../../tutorial.ts';

const HEADING = 'Your first rule in 20 minutes';

test('the code blocks of CONTRIBUTING.md are in the templates of `rules --new`', () => {
  const blocks = blocksOf(HEADING);
  expect(blocks.length).toBeGreaterThan(0);
  // The templates use the rule name of CONTRIBUTING.md.
  const templates = ['kernel.wgsl', 'rule.ts', 'explained.ts', 'rule.py', 'test.ts'].map((name) =>
    readFileSync(join(root, 'templates/rule', name), 'utf8'),
  );
  for (const { file, text } of blocks)
    expect(
      templates.some((template) => template.includes(text)),
      file,
    ).toBe(true);
});

test.each([
  ['mt-grpo', 'the rule "mt-grpo" exists'],
  ['First', '"First" is not a rule name'],
  ['a--b', '"a--b" is not a rule name'],
  ['outcome', 'the code already uses the name "outcome"'],
  ['class', 'the code already uses the name "class"'],
])('newRuleFiles throws an error for the rule name %s', (name, message) => {
  expect(() => newRuleFiles(root, name)).toThrow(message);
});

test('newRuleFiles throws an error for a folder that is not a checkout', () => {
  expect(() => newRuleFiles(tmpdir(), 'first-rule')).toThrow('run this in the root folder of a checkout');
});

test('patched applies a diff after its context line, which must occur once in the file', () => {
  expect(patched('a\nb\nc', ' b\n+x\n+y\n', 'f')).toBe('a\nb\nx\ny\nc');
  expect(patched('a\nb\nc', ' a\n-b\n+x\n', 'f')).toBe('a\nx\nc');
  expect(() => patched('a\na', ' a\n+x\n', 'f')).toThrow('f has the line "a" 2 times, not once');
});
