import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trainedRun } from '../../../src/cli/framework/worldRuns.ts';
import { findingOf } from '../../../src/lessons/expectations.ts';
import { lessonRun } from '../../../src/lessons/lesson.ts';
import { readLessons } from '../../../src/lessons/lessonFiles.ts';
import { root } from '../../files.ts';
import { testDevice } from '../runs/runDevice.ts';

const runs = readLessons(join(root, 'lessons')).flatMap(({ name, seed, runs: all, expects }) =>
  all.map((run) => ({
    lesson: name,
    seed,
    run,
    expects: expects.filter((expectation) => expectation.run === run.name),
  })),
);

test.each(runs)('$lesson, run $run.name with seed $seed has the stated result', async ({ seed, run, expects }) => {
  const { signal } = new AbortController();
  const metrics = await trainedRun(await testDevice(), { ...lessonRun(run), seed }, run.steps, { signal }, () => {});
  for (const expectation of expects) {
    expect(findingOf(expectation, metrics), expectation.text).toMatchObject({ met: true });
  }
});
