import type { ProgramResult, UnitTestResult } from '@turnwise/python-sandbox/types';
import { describe, expect, test } from 'vitest';
import {
  EXERCISES,
  MAX_TESTS,
  readTests,
  testJobs,
  toDraftTestResult,
  Workspace,
} from '../../../../src/app/python/drafts.ts';

describe('tests of the panel', () => {
  test('the tests of the Python panel are its assert lines, without blank lines and comments', () => {
    expect(readTests('# two tests\nassert f(1) == 1\n\n  assert f(2)\n')).toEqual({
      lines: [
        { line: 2, text: 'assert f(1) == 1' },
        { line: 4, text: 'assert f(2)' },
      ],
    });
  });

  test.each([
    ['assert f(1)\nf(2) == 2', { line: 2, problem: 'Line 2 of the tests is not an assert statement.' }],
    ['assertion(1)', { line: 1, problem: 'Line 1 of the tests is not an assert statement.' }],
    ['\n# none\n', { line: 1, problem: 'No test: write an assert statement.' }],
    ['assert 1\n'.repeat(MAX_TESTS + 1), { line: MAX_TESTS + 1, problem: `At most ${MAX_TESTS} tests.` }],
  ])('the tests %j of the Python panel are rejected with the line number', (tests, message) => {
    expect(readTests(tests)).toEqual({ rejection: message });
  });

  test.each([
    ['assert f(1) == [2]', '_turnwise_actual = (f(1)); assert _turnwise_actual == ([2]), "returned " + repr(_turnwise_actual)'],
    ['assert f(1) == 2 == 3'],
    ['assert f(1) == 2, "wrong"'],
    ['assert f(1) != 2'],
    ['assert not f(1) == 2'],
    ['assert f(1) is None'],
    ['assert f(1) == 2; print(3)'],
    ['assert f(1) =='],
  ])('the test %s runs after the program', (text, statement = text) => {
    expect(testJobs('def f(x): pass', [{ line: 1, text }])).toEqual([
      {
        program: `def f(x): pass\n\ndef _turnwise_test():\n    ${statement}\n`,
        entry: '_turnwise_test',
        tests: [{ args: [], expected: null }],
      },
    ]);
  }); // biome-ignore format: a table

  test('a failed test has no line, and an error of the program has its line', () => {
    const createResult = (type: string, line: number): UnitTestResult => ({
      ...{ status: 'error', output: '', fuel: 1 },
      error: { type, message: 'returned 3', line },
    });
    const program = 'def f(x):\n    return x\n';
    const outside = { type: 'AssertionError', message: 'returned 3' };
    expect(toDraftTestResult(createResult('AssertionError', 6), program)).toMatchObject({
      status: 'failed',
      error: outside,
    });
    expect(toDraftTestResult(createResult('AssertionError', 2), program)).toEqual(createResult('AssertionError', 2));
    expect(toDraftTestResult(createResult('NameError', 6), program).error).toEqual({
      type: 'NameError',
      message: 'returned 3',
    });
  });
});

describe('the workspace', () => {
  const createStorage = () => {
    const items = new Map<string, string>();
    return {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, text: string) => items.set(key, text),
    };
  };
  const passed = {
    status: 'passed',
    fuel: 2,
    tests: [{ status: 'passed', output: '', fuel: 2 }],
  } as const satisfies ProgramResult;

  test('the workspace rejects a line without a test until the tests change, and loses no text', () => {
    const workspace = new Workspace();
    workspace.change({ tests: 'assert f(1)\nf(2)\n' });
    expect([workspace.ready(), workspace.rejection?.line]).toEqual([undefined, 2]);
    expect(workspace.draft.tests).toBe('assert f(1)\nf(2)\n');
    workspace.change({ program: 'x = 1' });
    expect(workspace.rejection?.line).toBe(2);
    workspace.change({ tests: 'assert f(1)\n' });
    expect(workspace.rejection).toBeUndefined();
    expect(workspace.ready()?.lines).toEqual([{ line: 1, text: 'assert f(1)' }]);
  });

  test('the results of the workspace are current only for the program and tests that produced them', () => {
    const workspace = new Workspace();
    workspace.change({ tests: 'assert f(1)\nassert f(2)' });
    const ready = workspace.ready();
    if (!ready) throw new Error('not ready');
    workspace.settle('right', ready, [passed, passed]);
    expect(workspace.result).toMatchObject({
      fuel: 4,
      tests: [{ text: 'assert f(1)' }, { text: 'assert f(2)', line: 2 }],
    });
    expect(workspace.current).toBe(true);
    workspace.change({ tests: 'assert f(3)' });
    expect(workspace.current).toBe(false);
    workspace.change({ tests: 'assert f(1)\nassert f(2)' });
    expect(workspace.current).toBe(true);
    workspace.change({ program: 'x' });
    expect(workspace.current).toBe(false);
    workspace.choose('own');
    expect(workspace.result).toBeUndefined();
  });

  test('the workspace restores drafts after a reload and ignores stored data that is not a draft', () => {
    const storage = createStorage();
    const before = new Workspace(storage);
    before.choose('bug');
    before.change({ program: 'def f(): pass' });
    const { tests } = EXERCISES.bug;
    expect(new Workspace(storage)).toMatchObject({ chosen: 'bug', draft: { program: 'def f(): pass', tests } });
    const text = (drafts: unknown) => storage.setItem('turnwise-python', JSON.stringify({ chosen: 'x', drafts }));
    for (const drafts of [{ right: { program: 1 } }, { right: { program: 'x', tests: [{}] } }, 7]) {
      text(drafts);
      expect(new Workspace(storage)).toMatchObject({ chosen: 'right', draft: EXERCISES.right });
    }
    storage.setItem('turnwise-python', '{');
    expect(new Workspace(storage).draft).toEqual(EXERCISES.right);
    const forbidden = {
      getItem: () => null,
      setItem: () => {
        throw new Error('full');
      },
    };
    const workspace = new Workspace(forbidden);
    workspace.change({ tests: 'assert g()' });
    expect(workspace.draft.tests).toBe('assert g()');
    workspace.reset();
    expect(workspace.draft).toEqual(EXERCISES.right);
  });
});
