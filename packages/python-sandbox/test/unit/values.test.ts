import { describe, expect, test } from 'vitest';
import { equal } from '../../src/compare.ts';
import { JobError, readExpected, readJob, readValue } from '../../src/jobs.ts';
import { parseJson } from '../../src/json.ts';
import { repr } from '../../src/repr.ts';
import type { Expected, Value } from '../../src/types.ts';

describe('equality', () => {
  test.each<[Value, Expected]>([
    [1, { float: 1 }], [{ float: 2 }, 2], [2n ** 70n, 2n ** 70n], [{ float: 2 ** 70 }, 2n ** 70n], [{ float: -0 }, 0], [null, null],
    ['é', 'é'], [[1, [2]], { sequence: [1, { sequence: [2] }] }], [{ tuple: [1] }, { sequence: [1] }], [{ tuple: [] }, { tuple: [] }],
    [{ set: [1, 2] }, { set: [2, 1] }], [{ dict: [['a', 1], ['b', 2]] }, { dict: [['b', 2], ['a', 1]] }], [true, true],
  ])('equal returns true in case %#', (actual, expected) => {
    expect(equal(actual, expected)).toBe(true);
  }); // biome-ignore format: a table

  test.each<[Value, Expected]>([
    [true, 1], [1, true], [false, 0], [{ float: Number.NaN }, { float: Number.NaN }], ['1', 1], [null, false], [null, 0],
    [[1], { tuple: [1] }], [{ tuple: [1] }, [1]], [[1], [1, 2]], [{ set: [1] }, { sequence: [1] }], [{ dict: [] }, { set: [] }],
    [{ float: 2 ** 53 }, 2n ** 53n + 1n], [{ typeName: 'int' }, 1], [{ set: [true] }, { set: [1] }], ['\u00e9', 'e\u0301'],
    [{ float: 0.1 }, { float: 0.1 + 1e-12 }],
  ])('equal returns false in case %#', (actual, expected) => {
    expect(equal(actual, expected)).toBe(false);
  }); // biome-ignore format: a table

  test('equal applies the tolerance only to floats', () => {
    expect(equal({ float: 1e6 + 0.5 }, { float: 1e6 }, 1e-6)).toBe(true);
    expect(equal({ float: 1e6 + 2 }, { float: 1e6 }, 1e-6)).toBe(false);
    expect(equal(10, 11, 1)).toBe(false);
    expect(equal({ float: Number.POSITIVE_INFINITY }, { float: 1 }, 1)).toBe(false);
  });
});

test.each<[Value, string]>([
  [{ float: 1e16 }, '1e+16'], [{ float: 123456789012345680 }, '1.2345678901234568e+17'], [{ float: 1e-5 }, '1e-05'], [{ float: 1e-4 }, '0.0001'],
  [{ float: -0 }, '-0.0'], [{ float: 3 }, '3.0'], [{ float: Number.NEGATIVE_INFINITY }, '-inf'], [{ float: 1e100 }, '1e+100'],
  ["it's", '"it\'s"'], ['\n\\\0\u00a0é\u202e', "'\\n\\\\\\x00\\xa0é\\u202e'"], [{ tuple: [1] }, '(1,)'], [{ set: [] }, 'set()'],
  [{ dict: [[1, null]] }, '{1: None}'], [[true, 'a'], "[True, 'a']"], [{ typeName: 'L' }, '<L>'],
])('repr formats a value as Python does in case %#', (value, text) => {
  expect(repr(value)).toBe(text);
}); // biome-ignore format: a table

describe('job files', () => {
  test('job files preserve values that JSON lacks: floats, large ints, tuples, sets and dicts', () => {
    expect(parseJson('[1, 1.0, 1e2, 123456789012345678901, -0, {"__proto__": null}]')).toEqual([
      1, { float: 1 }, { float: 100 }, 123456789012345678901n, 0, new Map([['__proto__', null]]),
    ]); // biome-ignore format: a list
    expect(readValue('{"$dict": [[{"$tuple": [1]}, {"$set": [2]}]]}')).toEqual({
      dict: [[{ tuple: [1] }, { set: [2] }]],
    });
    expect(readValue('[{"$int": "99999999999999999999"}, {"$float": "-inf"}]')).toEqual([
      99999999999999999999n,
      { float: Number.NEGATIVE_INFINITY },
    ]);
    expect(readExpected('[[1]]')).toEqual({ sequence: [{ sequence: [1] }] });
  });

  const job = { id: 'a', program: 'def f(): pass', entry: 'f', tests: [{ args: [], expected: 1 }] };
  test('readJob returns the job of a line with its limits', () => {
    expect(readJob(JSON.stringify({ ...job, fuel: 5 }))).toMatchObject({
      id: 'a',
      job: { entry: 'f', limits: { fuel: 5 } },
    });
  });

  test.each<[object | string, string]>([
    ['{"id": 1,}', 'not JSON: a string was expected at character 10'],
    ['[]', '"the line" must be an object'],
    [{ ...job, id: null }, '"id"'],
    [{ ...job, program: 1 }, '"program" must be a string'],
    [{ ...job, entry: 'f()' }, '"entry" is "f()"'],
    [{ ...job, tests: [] }, '"tests"'],
    [{ ...job, tests: [{ args: 1, expected: 1 }] }, '"tests[0].args" must be an array'],
    [{ ...job, tests: [{ args: [] }] }, 'tests[0].expected is missing'],
    [{ ...job, tests: [{ args: [{ $tuple: 1 }], expected: 1 }] }, 'tests[0].args[0].$tuple'],
    [{ ...job, tests: [{ args: [], expected: { $int: 'x' } }] }, 'tests[0].expected.$int: "x" is no whole number'],
    [{ ...job, tests: [{ args: [], expected: { $list: [] } }] }, '"$list" is not one of'],
    [
      { ...job, tests: [{ args: [{ $set: [[1]] }], expected: 1 }] },
      'tests[0].args[0].$set[0]: a list cannot be in a set',
    ],
    [{ ...job, tests: [{ args: [{ $dict: [[{ a: 1 }, 2]] }], expected: 1 }] }, '$dict[0][0]: a dict cannot be'],
    [
      { ...job, tests: [{ args: [{ $set: [{ $tuple: [{ $set: [] }] }] }], expected: 1 }] },
      '$set[0][0]: a set cannot be',
    ],
    [{ ...job, fuel: -1 }, '"fuel"'],
    [{ ...job, timeout: 1 }, '"timeout" is no field'],
  ])('readJob throws a JobError for %j', (line, message) => {
    const read = () => readJob(typeof line === 'string' ? line : JSON.stringify(line));
    expect(read).toThrow(JobError);
    expect(read).toThrow(message);
  });
});
