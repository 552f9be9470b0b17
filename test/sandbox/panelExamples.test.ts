import { beforeAll, describe, expect, test } from 'vitest';
import { Workspace } from '../../src/app/python/draft.ts';
import { EXAMPLES } from '../../src/app/python/pythonExamples.ts';
import { nodePlace } from '../../src/sandbox/host/node.ts';
import { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Verdict } from '../../src/sandbox/types.ts';

describe('the examples of the panel', () => {
  let verdicts: Record<string, Verdict>;
  beforeAll(async () => {
    const workspace = new Workspace();
    const sandbox = new Sandbox(nodePlace(), { workers: 1 });
    const jobs = EXAMPLES.map((name) => {
      workspace.choose(name);
      return workspace.job() ?? expect.fail(`${name}: ${JSON.stringify(workspace.refusal)}`);
    });
    const all = await sandbox.run(jobs);
    sandbox.close();
    verdicts = Object.fromEntries(EXAMPLES.map((name, i) => [name, all[i]]));
  });

  test.each([
    ['right', ['passed', 'passed', 'passed']],
    ['bug', ['passed', 'failed', 'error']],
    ['endless', ['passed', 'passed', 'limit']],
    ['cheat', ['violation', 'violation']],
    ['own', ['passed']],
  ])('%s shows what it is there for', (name, statuses) => {
    expect(verdicts[name].tests.map(({ status }) => status)).toEqual(statuses);
  });
});
