import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MOST_TESTS, Workspace } from '../../../../src/app/python/draft.ts';
import { LiteralError, readArguments, readExpectation } from '../../../../src/app/python/literals.ts';
import { EXERCISES } from '../../../../src/app/python/pythonExamples.ts';
import { equal } from '../../../../src/sandbox/compare.ts';
import { readExpected, readValue } from '../../../../src/sandbox/jobs.ts';
import { repr } from '../../../../src/sandbox/repr.ts';
import type { Expected, Value, Verdict } from '../../../../src/sandbox/types.ts';

const float = (value: number) => ({ float: value });

describe('arguments', () => {
  test.each<[string, readonly Value[]]>([
    ['', []], ['  ', []], ['20, 22', [20, 22]], ['1,', [1]], ['[1, 2], (3,)', [[1, 2], { tuple: [3] }]],
    ['True, False, None', [true, false, null]], ['true, false, null', [true, false, null]], ['(1)', [1]], ['()', [{ tuple: [] }]],
    ['-1, +2, --3, - 4', [-1, 2, 3, -4]], ['1.5, .5, 1e3, -0.0', [1.5, 0.5, 1000, -0].map(float)],
    ['0x1F, 0o17, 0b101, 1_000, 00', [31, 15, 5, 1000, 0]], ['123456789012345678901', [123456789012345678901n]],
    ['9007199254740993', [9007199254740993n]], ["'a', \"b\", '''c''', \"it's\"", ['a', 'b', 'c', "it's"]],
    [String.raw`'\n\t\\\'\x41\u00e9\U0001F600\101\d'`, ["\n\t\\'Aé😀A\\d"]], [String.raw`r'\n'`, ['\\n']], ["'a' 'b'", ['ab']],
    ['{1, 2}', [{ set: [1, 2] }]], ['set()', [{ set: [] }]], ['{}', [{ dict: [] }]],
    ["{'a': 1, (1, 2): [3]}", [{ dict: [['a', 1], [{ tuple: [1, 2] }, [3]]] }]], ['{"a": 1}', [{ dict: [['a', 1]] }]],
    ['float("inf"), -inf, nan', [float(Infinity), float(-Infinity), float(Number.NaN)]],
    ['{"$tuple": [1, 2]}, {"$set": [1]}', [{ tuple: [1, 2] }, { set: [1] }]], ['{"$float": "inf"}', [float(Infinity)]],
    ['{"$dict": [[1, "a"]]}', [{ dict: [[1, 'a']] }]], ['{"$int": "12"}', [12]], ["{'$x': 1}", [{ dict: [['$x', 1]] }]], ['"\\/"', ['/']],
  ])('%s', (source, values) => {
    expect(readArguments(source)).toEqual(values);
  }); // biome-ignore format: a table

  test.each([
    ['[4, x]', '“x” is no value; text stands in quotes, at character 5.'],
    ['1 2', '“2” cannot stand here, at character 3.'],
    ['[1, 2', 'Something is missing, at character 6.'],
    ['"abc', 'The text has no closing quote, at character 1.'],
    ["1, 'abc", 'The text has no closing quote, at character 4.'],
    ['1], [2', '“]” cannot stand here, at character 2.'],
    ['1,,2', '“,” cannot stand here, at character 3.'],
    ['$', '“$” cannot stand here, at character 1.'],
    ['n=1', 'Arguments have no names here, only an order, at character 2.'],
    ['1 + 2', 'Only plain values can be given, nothing that must be worked out, at character 1.'],
    ['[i for i in x]', 'Only plain values can be given, nothing that must be worked out, at character 1.'],
    ['*a', 'Only plain values can be given, nothing that must be worked out, at character 1.'],
    ['{**a}', 'Only plain values can be given, nothing that must be worked out, at character 1.'],
    ["f'{x}'", 'Only plain values can be given, nothing that must be worked out, at character 1.'],
    ['-True', 'Only plain values can be given, nothing that must be worked out, at character 1.'],
    ['print(1)', 'Only plain values can be given, nothing that must be worked out, at character 1.'],
    ["b'a'", 'Bytes cannot be given, at character 1.'],
    ['2j', 'Complex numbers cannot be given, at character 1.'],
    ['012', '“012” is no number in Python, at character 1.'],
    [String.raw`'\x4'`, String.raw`“\x” means no character, at character 1.`],
    [String.raw`'\ud800'`, String.raw`“\ud800” means no character, at character 1.`],
    ['{[1]}', 'A list cannot be in a set or be a key, at character 1.'],
    ['{({1},): 2}', 'A set cannot be in a set or be a key, at character 1.'],
    ['{1, 1.0}', '1.0 stands there twice, at character 1.'],
    ["{'a': 1, 'a': 2}", "'a' stands there twice, at character 1."],
    ['{"$set": [[1]]}', 'arguments[0].$set[0]: a list cannot be in a set or a key of a dict; write {"$tuple": [...]}.'],
    ['{"$set": 3}', '"arguments[0].$set" must be an array.'],
    [
      '{"$tuple": [(1, 2)]}',
      '“$tuple” belongs to JSON, and this is not JSON: write the value as in Python, at character 1.',
    ],
    ['constructor', '“constructor” is no value; text stands in quotes, at character 1.'],
    ['1., 2', 'A float has a digit after its point, 1.0, at character 1.'],
    ['[2.]', 'A float has a digit after its point, 1.0, at character 2.'],
  ])('%s is refused', (source, message) => {
    expect(() => readArguments(source)).toThrow(new LiteralError(message));
  });
});

test('too deep and too long is refused', () => {
  expect(() => readArguments(`${'['.repeat(200)}${']'.repeat(200)}`)).toThrow('nested too deep, at character 101.');
  expect(() => readArguments('1'.repeat(10_001))).toThrow('This is longer than 10,000 characters.');
});

describe('expected values', () => {
  test.each<[string, Expected]>([
    ['[1, 2]', { sequence: [1, 2] }], ['(1, 2)', { tuple: [1, 2] }], ['([1],)', { tuple: [{ sequence: [1] }] }],
    ['{"a": [1]}', { dict: [['a', { sequence: [1] }]] }], ["{'a': [1]}", { dict: [['a', { sequence: [1] }]] }], [' 7 ', 7],
  ])('%s', (source, expected) => {
    expect(readExpectation(source)).toEqual(expected);
  }); // biome-ignore format: a table

  test.each([
    ['', 'A value is missing.'],
    ['1, 2', 'One value is wanted; a tuple is written (1, 2).'],
    ['None, 2', 'One value is wanted; a tuple is written (1, 2).'],
    ['{"$float": "big"}', 'expected.$float: "big" is no float.'],
  ])('%s is refused', (source, message) => {
    expect(() => readExpectation(source)).toThrow(new LiteralError(message));
  });
});

/** Values as Python holds them: no set with an unhashable member, no key twice. */
const plain = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.bigInt({ min: 2n ** 60n, max: 2n ** 80n }),
  fc.double({ noNaN: true }).map(float),
  fc.string({ unit: 'grapheme' }),
);
const values = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    plain,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(tie('value'), { maxLength: 3 }).map((tuple) => ({ tuple })),
    fc.uniqueArray(fc.integer(), { maxLength: 3 }).map((set) => ({ set })),
    fc.dictionary(fc.string({ minLength: 1 }), tie('value')).map((record) => ({ dict: Object.entries(record) })),
  ),
})).value as fc.Arbitrary<Value>;

test('what Python prints of a value is that value', () => {
  const short = values.filter((value) => repr(value).length < 490 && !/["']\$/.test(repr(value)));
  fc.assert(
    fc.property(short, (value) => {
      const [read] = readArguments(repr(value));
      expect(equal(read, value as Expected)).toBe(true);
      expect(repr(read)).toBe(repr(value));
    }),
    { numRuns: 300 },
  );
});

test('JSON means what it means in files of jobs', () => {
  fc.assert(
    fc.property(
      fc.json().filter((json) => !json.includes('"$')),
      (json) => {
        expect(readArguments(json)).toEqual([readValue(json)]);
        expect(readExpectation(json)).toEqual(readExpected(json));
      },
    ),
  );
});

test('whatever is typed is read or refused in words', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'[](){},:\'"\\ 1.e-xTrue$=*#\n') }), (source) => {
      try {
        readArguments(source);
      } catch (error) {
        expect(error).toBeInstanceOf(LiteralError);
        expect((error as Error).message).toMatch(/\.$/);
      }
    }),
    { numRuns: 2000 },
  );
});

describe('the workspace', () => {
  const kept = () => {
    const items = new Map<string, string>();
    return {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, text: string) => items.set(key, text),
    };
  };
  const passed = {
    status: 'passed',
    fuel: 1,
    tests: [{ status: 'passed', output: '', fuel: 1 }],
  } as const satisfies Verdict;

  test('names every field that cannot be read and loses nothing', () => {
    const workspace = new Workspace();
    workspace.choose('bug');
    const [first, second] = workspace.draft.tests;
    workspace.change({ entry: '2f' });
    workspace.changeTest(first.id, { args: '[4, x]', expected: '' });
    expect(workspace.job()).toBeUndefined();
    expect(Object.keys(workspace.refusal ?? {})).toEqual(['entry', `${first.id}.args`, `${first.id}.expected`]);
    expect(workspace.draft.tests).toEqual([
      { ...first, args: '[4, x]', expected: '' },
      second,
      workspace.draft.tests[2],
    ]);
    // What is changed is no longer blamed; the rest is.
    workspace.changeTest(first.id, { args: '[4]' });
    expect(Object.keys(workspace.refusal ?? {})).toEqual(['entry', `${first.id}.expected`]);
    workspace.change({ entry: ' median ' });
    workspace.changeTest(first.id, { expected: '4' });
    expect(workspace.refusal).toBeUndefined();
    expect(workspace.job()).toMatchObject({ entry: 'median', tests: [{ args: [[4]], expected: 4 }, {}, {}] });
  });

  test('knows which verdicts are of what stands there now', () => {
    const workspace = new Workspace();
    workspace.choose('own');
    const { draft } = workspace;
    const [{ id }] = draft.tests;
    workspace.settle('own', draft, passed);
    expect([workspace.current, workspace.verdictOf(draft.tests[0])?.stale]).toEqual([true, false]);
    const added = workspace.addTest();
    expect([workspace.current, workspace.verdictOf(workspace.draft.tests[0])?.stale]).toEqual([false, false]);
    expect(workspace.verdictOf(workspace.draft.tests[1])).toBeUndefined();
    workspace.removeTest(Number(added));
    expect(workspace.current).toBe(true);
    workspace.changeTest(id, { args: '2' });
    expect(workspace.verdictOf(workspace.draft.tests[0])).toMatchObject({ stale: true, expected: '1' });
    workspace.choose('right');
    expect(workspace.result).toBeUndefined();
  });

  test('keeps a test at least, and not more than it may', () => {
    const workspace = new Workspace();
    workspace.choose('own');
    workspace.removeTest(workspace.draft.tests[0].id);
    expect(workspace.draft.tests).toHaveLength(1);
    while (workspace.addTest() !== undefined);
    expect(workspace.draft.tests).toHaveLength(MOST_TESTS);
  });

  test('comes back after a reload, without what is no draft', () => {
    const storage = kept();
    const before = new Workspace(storage);
    before.choose('bug');
    before.change({ program: 'def f(): pass' });
    expect(new Workspace(storage)).toMatchObject({
      chosen: 'bug',
      draft: { program: 'def f(): pass', entry: 'median' },
    });
    const text = (drafts: unknown) => storage.setItem('turnwise-python', JSON.stringify({ chosen: 'x', drafts }));
    for (const drafts of [
      { right: { program: 1 } },
      { right: { ...EXERCISES.right, tests: [] } },
      { right: { ...EXERCISES.right, tests: [{}] } },
      7,
    ]) {
      text(drafts);
      expect(new Workspace(storage)).toMatchObject({ chosen: 'right', draft: { program: EXERCISES.right.program } });
    }
    storage.setItem('turnwise-python', '{');
    expect(new Workspace(storage).draft.entry).toBe('merge');
    const forbidden = {
      getItem: () => null,
      setItem: () => {
        throw new Error('full');
      },
    };
    const workspace = new Workspace(forbidden);
    workspace.change({ entry: 'g' });
    expect(workspace.draft.entry).toBe('g');
    workspace.reset();
    expect(workspace.draft).toMatchObject({ program: EXERCISES.right.program, entry: 'merge' });
  });
});
