import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { type CpythonResult, runCpython } from '../../bench/sandboxCpython.ts';

const FOLDER = fileURLToPath(new URL('../fixtures/cpython', import.meta.url));
/** Number of tests of each file that pass; the other tests are omitted. */
const PASSED = {
  test_bisect: 23,
  test_defaultdict: 10,
  test_deque: 67,
  test_heapq: 25,
  test_list: 58,
  test_slice: 9,
  test_sort: 21,
  test_string: 38,
  test_tuple: 28,
};

let results: CpythonResult[];
beforeAll(async () => {
  results = await runCpython(FOLDER, Object.keys(PASSED));
});

test('each test of CPython passes in the sandbox or is omitted for a stated reason', () => {
  expect(results.filter(({ kind }) => kind === 'failed')).toEqual([]);
  for (const { file, test: name, kind, reason } of results)
    if (kind === 'left out') expect(reason, `${file} ${name}`).not.toBe('');
});

test.each(Object.entries(PASSED))('the recorded number of tests of %s passes', (file, passed) => {
  expect(results.filter((result) => result.file === file && result.kind === 'passed')).toHaveLength(passed);
});
