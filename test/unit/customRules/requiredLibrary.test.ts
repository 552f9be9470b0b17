import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { selectRequiredLibrary } from '../../../src/customRules/driver.ts';
import { root } from '../../files.ts';

const library = readFileSync(join(root, 'python/turnwise_rl/core.py'), 'utf8');
const defined = (text: string) => [...text.matchAll(/^(?:def|class) (\w+)/gm)].map(([, name]) => name);

test('selectRequiredLibrary includes the names that a rule uses and their dependencies, and omits the rest', () => {
  const required = selectRequiredLibrary(library, ['from turnwise_rl import token_gae', 'Group Turn']);
  expect(defined(required)).toEqual(expect.arrayContaining(['token_gae', 'gae', 'Group', 'Turn', 'GroupError']));
  expect(defined(required)).not.toContain('retained');
  expect(defined(required)).not.toContain('normalize');
  expect(required).toContain('import math');
});

test('selectRequiredLibrary keeps the line numbers of the library', () => {
  const required = selectRequiredLibrary(library, ['gae']).split('\n');
  const complete = library.split('\n');
  expect(required.length).toBe(complete.length);
  const at = complete.findIndex((line) => line.startsWith('def gae('));
  expect(required[at]).toBe(complete[at]);
});

test('selectRequiredLibrary returns the whole library if a text contains all its names', () => {
  const constants = 'PROFILES NORMALIZATION_OPTIONS IntegerList Profile spread';
  expect(selectRequiredLibrary(library, defined(library).concat(constants))).toBe(library);
});

test('selectRequiredLibrary keeps the decorators of a definition with it, and omits them with it', () => {
  const decorated = 'import functools\n\n@functools.lru_cache(\n    None\n)\n@other\ndef f(): ...\n\ndef g(): ...\n';
  expect(selectRequiredLibrary(decorated, ['f'])).toBe(decorated.replace('def g(): ...', ''));
  expect(selectRequiredLibrary(decorated, ['g'])).toBe(`import functools\n${'\n'.repeat(7)}def g(): ...\n`);
});
