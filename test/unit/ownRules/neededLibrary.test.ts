import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { neededLibrary } from '../../../src/ownRules/neededLibrary.ts';
import { root } from '../../files.ts';

const library = readFileSync(join(root, 'python/turnwise_rl/core.py'), 'utf8');
const defined = (text: string) => [...text.matchAll(/^(?:def|class) (\w+)/gm)].map(([, name]) => name);

test('what a rule names is there, and what that needs; the rest is left out', () => {
  const needed = neededLibrary(library, ['from turnwise_rl import paid_tokens', 'Group Turn']);
  expect(defined(needed)).toEqual(expect.arrayContaining(['paid_tokens', 'gae', 'Group', 'Turn', 'GroupError']));
  expect(defined(needed)).not.toContain('retained');
  expect(defined(needed)).not.toContain('normalize');
  expect(needed).toContain('import math');
});

test('lines keep their numbers', () => {
  const needed = neededLibrary(library, ['gae']).split('\n');
  const whole = library.split('\n');
  expect(needed.length).toBe(whole.length);
  const at = whole.findIndex((line) => line.startsWith('def gae('));
  expect(needed[at]).toBe(whole[at]);
});

test('a text that names everything gets the whole library', () => {
  expect(neededLibrary(library, defined(library).concat('PROFILES CORNERS Whole Profile'))).toBe(library);
});
