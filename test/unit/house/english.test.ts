import { describe, expect, test } from 'vitest';
import { loweredLimits, problemsOf } from '../../../scripts/english/limits.mjs';
import { type Entry, entriesOf, type Occurrence, scannerOf } from '../../../scripts/english/occurrences.mjs';
import { regionsOf } from '../../../scripts/english/regions.mjs';
import {
  addedLines,
  addedSince,
  isChecked,
  limitsRevision,
  occurrencesInRepository,
  readLimits,
  readList,
} from '../../../scripts/english/repository.mjs';

/** A list of invented words, so that this file adds nothing to the counts of the repository. */
const LIST = {
  everywhere: [{ name: 'zorp', forms: ['zorp', 'zorps'], use: 'run' }],
  identifiers: [{ name: 'blik', use: 'value' }],
  phrases: [
    { name: 'glim of', pattern: '\\bglim of\\b', use: 'part of' },
    { name: 'begins with Frop', pattern: '^[\\s"]*Frop\\b', use: 'Result', in: ['comment'], case: true },
  ],
  builtins: ['blikList'],
  exceptions: ['glim of the day'],
};
const scan = scannerOf(LIST);

/** Returns `name:line` of each occurrence. */
const occurrencesOf = (path: string, text: string) => scan(path, text).map(([{ name }, { line }]) => `${name}:${line}`);
/** Returns `kind:line text` of each region. */
const described = (path: string, text: string) =>
  regionsOf(path, text).map(({ kind, text, line }) => `${kind}:${line} ${text}`);

describe('repository', () => {
  test('the repository has at most the number of forbidden words that scripts/english/limits.json allows', () => {
    const list = readList();
    const limited = { ...list, phrases: list.phrases.filter(({ advisory }) => !advisory) };
    const occurrences = occurrencesInRepository(limited);
    const revision = limitsRevision();
    const isNew = revision === undefined ? () => false : addedSince(revision);
    const problems = problemsOf(occurrences, readLimits(), isNew);
    expect(problems, `${problems.join('\n\n')}\n\nRules: docs/develop/english.md\n`).toHaveLength(0);
    expect([...occurrences.values()].flat().length).toBeGreaterThan(0);
  });

  test('the word list has unique names', () => {
    const names = entriesOf(readList()).map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });
});

describe('regions', () => {
  test('regionsOf joins line comments on consecutive lines', () => {
    const text = 'a;\n// first\n  // second\n\n// third\n/* fourth\n * fifth */ b;';
    expect(described('a.ts', text)).toEqual([
      'identifier:1 a',
      'comment:2 // first\n// second',
      'comment:5 // third',
      'comment:6 /* fourth\n * fifth */',
      'identifier:7 b',
    ]);
  });

  test('regionsOf separates templates from the expressions inside, with nested braces and templates', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the input is source code.
    const text = '`a ${f({ b: `c ${d}` })} \\` e\n` + g';
    expect(described('a.ts', text)).toEqual([
      'string:1 a ',
      'identifier:1 f',
      'identifier:1 b',
      'string:1 c ',
      'identifier:1 d',
      'string:1 ',
      'string:1  \\` e\n',
      'identifier:2 g',
    ]);
  });

  test.each([
    ['a regular expression', 'x = /["\'`/]+/g; y', ['identifier:1 x', 'identifier:1 y']],
    ['a character class with a slash', 'return /[/"]/', ['identifier:1 return']],
    [
      'a division',
      "a / b; c = 'd' / e",
      ['a', 'b', 'c'].map((n) => `identifier:1 ${n}`).concat('string:1 d', 'identifier:1 e'),
    ],
    ['a name that begins with return', 'returned / a / b', ['returned', 'a', 'b'].map((n) => `identifier:1 ${n}`)],
  ])('regionsOf recognizes %s', (_, text, regions) => expect(described('a.ts', text)).toEqual(regions));

  test('regionsOf omits module specifiers', () => {
    expect(described('a.ts', "f('./a.ts', '@b/c', 'node:fs', 'd')")).toEqual(['identifier:1 f', 'string:1 d']);
  });

  test('regionsOf omits code and link addresses of Markdown', () => {
    const text = 'a `b` [c](d.md)\n```\ne\n```\n    f\ng';
    expect(described('a.md', text)).toEqual(['prose:1 a ` [c]', 'prose:6 g']);
  });

  test('regionsOf returns docstrings and line comments of Python as comments', () => {
    const text = 'def f(a):\n    """One\n    two"""\n    return r\'b\'  # c';
    expect(described('a.py', text)).toEqual([
      'identifier:1 def',
      'identifier:1 f',
      'identifier:1 a',
      'comment:2 """One\n    two"""',
      'identifier:4 return',
      "string:4 r'b'",
      'comment:4 # c',
    ]);
  });

  test.each([
    ['a.ts', "import { a, type b as c } from 'd';\nimport e from './e.ts';\na(...f, g.h?.i);"],
    ['a.py', 'from d import (\n    a,\n    b as c,\n)\nimport e\na(f, g.h)'],
  ])('regionsOf separates imported names and members from identifiers in %s', (path, text) => {
    const declared = described(path, text).filter((region) => region.startsWith('identifier'));
    expect(declared.map((region) => region.split(' ')[1]).filter((name) => /^[a-i]$/.test(name ?? ''))).toEqual([
      'f',
      'g',
    ]);
  });

  test('regionsOf returns every line of YAML as prose', () => {
    expect(described('a.yml', 'a: b\nc')).toEqual(['prose:1 a: b', 'prose:2 c']);
  });
});

describe('occurrences', () => {
  test('the scanner counts an identifier once per file, and a word of prose at each occurrence', () => {
    expect(occurrencesOf('a.ts', 'zorpCount;\nzorpCount; // zorp zorps\n// Zorp')).toEqual([
      'zorp:1',
      'zorp:2',
      'zorp:2',
      'zorp:3',
    ]);
  });

  test('the scanner counts an identifier in the file that declares it, and not as an import or a member', () => {
    const text = "import { zorpCount } from './b.ts';\nzorpCount(a.zorpSum, ...zorpRest);";
    expect(occurrencesOf('a.ts', text)).toEqual(['zorp:2']);
  });

  test('the scanner applies the list "identifiers" only to identifiers and file names', () => {
    expect(occurrencesOf('src/blik.test.ts', "const aBLIKSum = 'blik'; // blik")).toEqual(['blik:1', 'blik:1']);
  });

  test('the scanner omits builtins and exceptions', () => {
    expect(occurrencesOf('a.ts', "blikList; 'glim of the day'")).toEqual([]);
    expect(occurrencesOf('a.ts', "'a glim of it'")).toEqual(['glim of:1']);
  });

  test('the scanner matches a phrase across the lines of a comment', () => {
    expect(occurrencesOf('a.ts', '/**\n * a\n * Glim\n * of it\n */\n// glim\n// of')).toEqual([
      'glim of:3',
      'glim of:6',
    ]);
  });

  test('the scanner limits a phrase to its regions and its case', () => {
    expect(occurrencesOf('a.ts', "/** Frop a. */\n// frop\n'Frop'\n// a Frop")).toEqual(['begins with Frop:1']);
  });

  test('the scanner omits code in comments', () => {
    expect(occurrencesOf('a.ts', '// `zorp` {@link zorp} zorps')).toEqual(['zorp:1']);
  });

  test.each([
    ['src/a.ts', true],
    ['test/fixtures/a.ts', false],
    ['src/gpu/kernelTypes.ts', false],
    ['docs/reference/rules/ppo.md', false],
    ['docs/reference/rules/README.md', true],
    ['scripts/english/limits.json', false],
  ])('isChecked(%s) returns %s', (path, expected) => expect(isChecked(path)).toBe(expected));
});

describe('limits', () => {
  const occurrence = (line: number): Occurrence => ({ path: 'src/a.ts', line, kind: 'comment', text: 'a zorp' });
  const counted = (count: number, extra: Partial<Entry> = {}) =>
    new Map([[{ name: 'zorp', use: 'run', ...extra }, Array.from({ length: count }, (_, i) => occurrence(i + 1))]]);

  test.each([
    ['decrease to a smaller count', 2, { zorp: 3 }, { zorp: 2 }],
    ['do not increase to a larger count', 4, { zorp: 3 }, { zorp: 3 }],
    ['begin at the count of a new entry', 4, {}, { zorp: 4 }],
    ['omit entries that were removed from the list', 1, { zorp: 1, mup: 5 }, { zorp: 1 }],
  ])('lowered limits %s', (_, count, before, after) => expect(loweredLimits(counted(count), before)).toEqual(after));

  test('limits omit advisory entries', () => {
    expect(loweredLimits(counted(2, { advisory: true }), {})).toEqual({});
    expect(problemsOf(counted(2, { advisory: true }), {}, () => true)).toEqual([]);
  });

  test('problemsOf accepts a count at or below the limit', () => {
    expect(problemsOf(counted(3), { zorp: 3 }, () => true)).toEqual([]);
    expect(problemsOf(counted(2), { zorp: 3 }, () => true)).toEqual([]);
  });

  test('problemsOf reports the word, the replacement, the limit and the added occurrences', () => {
    expect(problemsOf(counted(3), { zorp: 2 }, ({ line }) => line === 2)).toEqual([
      '"zorp": 3 occurrences, the limit is 2. Remove 1. Use instead: run\n' +
        '  1 on lines added since the limits were written:\n' +
        '  src/a.ts:2  comment  a zorp',
    ]);
  });

  test('problemsOf reports the last 20 occurrences if no added line is known', () => {
    const [message] = problemsOf(counted(30), { zorp: 29 }, () => false);
    expect(message).toContain('30 in the repository, the last 20:\n  src/a.ts:11 ');
    expect(message).toContain('src/a.ts:30 ');
    expect(message).toContain('npm run words -- --list "zorp"');
  });

  test('problemsOf reports an entry without a limit', () => {
    expect(problemsOf(counted(1), {}, () => true)).toEqual(['"zorp" has no limit: run npm run words -- --lower']);
  });
});

test('addedLines returns the added lines of a diff without context', () => {
  const diff = '--- a.ts\n+++ a.ts\n@@ -1,0 +2,2 @@\n+x\n+y\n@@ -9 +11 @@\n-z\n+w\n@@ -20,2 +21,0 @@\n-v\n-u\n';
  expect([...addedLines(diff)]).toEqual(['a.ts:2', 'a.ts:3', 'a.ts:11']);
});
