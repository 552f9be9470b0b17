import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root, sourceFiles } from '../../files.ts';
import { approximations } from './mathFunctions.ts';

// The page only draws: its numbers may differ in the last bit. All other folders compute numbers to compare or save.
const sources = sourceFiles().filter((path) => !path.startsWith('src/app/'));

describe('repository', () => {
  test('no source outside src/app uses a function of Math that JavaScript engines may approximate differently', () => {
    expect(sources.length).toBeGreaterThan(300);
    expect(sources.flatMap((path) => approximations(path, readFileSync(join(root, path), 'utf8')))).toEqual([]);
  });
});

describe('approximations', () => {
  test.each([
    ['a call of a Math function', 'const a = Math.exp(2);', 'Math.exp'],
    ['a Math function as an argument', "before('belief', Math.exp);", 'Math.exp'],
    ['a Math function named by a string', "const a = Math['log'](2);", 'Math.log'],
    ['a Math function named by a variable', 'const a = Math[name](2);', 'Math[...]'],
    ['a destructured Math function', 'const { exp } = Math;', 'Math taken apart'],
    ['a power of a variable', 'const a = beta ** 3;', '**'],
    ['a fractional power', 'const a = 2 ** 0.5;', '**'],
    ['a power assignment', 'a **= 2;', '**='],
  ])('approximations reports %s', (_, source, name) => {
    expect(approximations('src/a.ts', `\n${source}`)).toEqual([`src/a.ts:2: ${name} (use src/numbers)`]);
  });

  test('approximations accepts exact functions, constants, and the text of comments and strings', () => {
    const source = "/** Math.exp ** */ const a = Math.sqrt(2) + Math.LN2 + 2 ** 20; const b = 'Math.log(2) ** 2';";
    expect(approximations('src/a.ts', source)).toEqual([]);
  });
});
