import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesUnder, root } from '../../files.ts';
import { approximations } from './mathFunctions.ts';

// The page draws: its pixels may differ by a last bit. Every other folder computes numbers that are compared or saved.
const sources = [...filesUnder('src', '.ts'), ...filesUnder('workers', '.ts')].filter(
  (path) => !path.startsWith('src/app/'),
);

describe('this repository', () => {
  test('uses no function of Math outside the page that JavaScript engines may approximate differently', () => {
    expect(sources.length).toBeGreaterThan(300);
    expect(sources.flatMap((path) => approximations(path, readFileSync(join(root, path), 'utf8')))).toEqual([]);
  });
});

describe('the checker', () => {
  test.each([
    ['called', 'const a = Math.exp(2);', 'Math.exp'],
    ['passed on without a call', "before('belief', Math.exp);", 'Math.exp'],
    ['named by a string', "const a = Math['log'](2);", 'Math.log'],
    ['named by a value', 'const a = Math[name](2);', 'Math[...]'],
    ['taken apart', 'const { exp } = Math;', 'Math taken apart'],
    ['a power of a value', 'const a = beta ** 3;', '**'],
    ['a power with a fraction', 'const a = 2 ** 0.5;', '**'],
    ['an assigned power', 'a **= 2;', '**='],
  ])('finds an approximation %s', (_, source, name) => {
    expect(approximations('src/a.ts', `\n${source}`)).toEqual([`src/a.ts:2: ${name} (use src/numbers)`]);
  });

  test('accepts exact functions, constants, and words in comments and strings', () => {
    const source = "/** Math.exp ** */ const a = Math.sqrt(2) + Math.LN2 + 2 ** 20; const b = 'Math.log(2) ** 2';";
    expect(approximations('src/a.ts', source)).toEqual([]);
  });
});
