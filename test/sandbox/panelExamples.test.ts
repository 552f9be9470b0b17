import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import { afterAll, describe, expect, test } from 'vitest';
import { type ExampleName, type ReadyTests, type TestResult, Workspace } from '../../src/app/python/drafts.ts';

const sandbox = new Sandbox(createNodeSource(), { workers: 1 });
afterAll(() => sandbox.close());

/** Returns the test results of an example after changes to its draft. */
async function run(
  name: ExampleName,
  changes: { program?: string; tests?: string } = {},
): Promise<readonly TestResult[]> {
  const workspace = new Workspace();
  workspace.choose(name);
  workspace.change(changes);
  const tests = workspace.ready() as ReadyTests;
  workspace.settle(name, tests, await sandbox.run(tests.jobs));
  return workspace.result?.tests ?? [];
}

describe('the examples of the panel', () => {
  test.each([
    ['right', ['passed', 'passed', 'passed']],
    ['bug', ['passed', 'failed', 'error']],
    ['endless', ['passed', 'passed', 'limit']],
    ['violation', ['violation', 'violation']],
    ['own', ['passed']],
  ] as const)('the example "%s" has the test results that it demonstrates', async (name, statuses) => {
    expect((await run(name)).map(({ testResult: { status } }) => status)).toEqual(statuses);
  });
});

test('the error of a failed test contains the actual value or the message of the assertion', async () => {
  const tests = 'assert f(3) == 4\nassert f(3) > 4\nassert f(3) == 4, "too small"\nassert f("a") == "b"\n';
  const errors = (await run('own', { tests })).map(({ testResult: { status, error } }) => [status, error?.message]);
  expect(errors).toEqual([
    ['failed', 'returned 3'],
    ['failed', ''],
    ['failed', 'too small'],
    ['failed', "returned 'a'"],
  ]);
});

test('an error in a test has no line of the program, and the other tests run', async () => {
  const results = await run('own', { tests: 'assert f(1) ==\nassert g(1)\nassert f(1) == 1' });
  expect(results.map(({ testResult: { status, error } }) => [status, error?.type, error?.line])).toEqual([
    ['error', 'SyntaxError', undefined],
    ['error', 'NameError', undefined],
    ['passed', undefined, undefined],
  ]);
  const [broken] = await run('own', { program: 'def f(x):\n    if x\n        return x\n' });
  expect(broken.testResult.error).toMatchObject({ type: 'SyntaxError', line: 2 });
});
