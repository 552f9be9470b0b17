import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import { expect, test } from 'vitest';
import { PROBLEM_SEED, recordProblems, recordsText } from '../../src/environments/repair/recordProblems.ts';
import { sandboxExecute } from '../../src/environments/shared/execution.ts';
import { root } from '../files.ts';

test('the recorded problems equal the problems drawn from the seed', async () => {
  const sandbox = new Sandbox(createNodeSource(), { workers: 2 });
  try {
    const counts: number[] = [];
    const records = await recordProblems(sandboxExecute(sandbox), PROBLEM_SEED, (done) => counts.push(done));
    expect(recordsText(records)).toBe(readFileSync(join(root, 'src/environments/repair/problems.json'), 'utf8'));
    expect(counts[counts.length - 1]).toBe(738);
  } finally {
    sandbox.close();
  }
});
