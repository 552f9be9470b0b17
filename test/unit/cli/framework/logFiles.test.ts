import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { logFiles } from '../../../../src/cli/framework/logs.ts';
import { stepInPath } from '../../../../src/rollouts/import/logPaths.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-logs-'));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['run/rollouts/step_12/train_rollouts.jsonl', 12],
  ['run/global_step_40/rollouts.jsonl', 40],
  ['rollouts/7.jsonl', 7],
  ['completions/completions_00010.parquet', 10],
  ['run/step_3/8.jsonl', 3],
  ['evals/steps/results.jsonl', undefined],
  ['results-0.1.5.jsonl', undefined],
  ['rollouts/7.jsonl.gz', 7],
  ['monitors/file/traces/stream/00001.jsonl.zst', undefined],
  ['run/django-11099/django-11099.traj', undefined],
  ['footstep_9/results.jsonl', undefined],
])('the step in the path %s is %s', (path, step) => {
  expect(stepInPath(path)).toBe(step);
});

test('a folder is read recursively in numeric order, and a subfolder named like a log is not a log', () => {
  for (const step of [10, 9, 1]) {
    mkdirSync(join(folder, `step_${step}`));
    writeFileSync(join(folder, `step_${step}`, 'a.jsonl'), '');
  }
  writeFileSync(join(folder, 'notes.txt'), '');
  mkdirSync(join(folder, 'old.jsonl'));
  const paths = [1, 9, 10].map((step) => join(folder, `step_${step}`, 'a.jsonl'));
  expect(logFiles([folder])).toEqual(paths.map((path) => ({ path, parts: [path] })));
  expect(() => logFiles([join(folder, 'none')])).toThrow('there is no file');
});
