import { expect, test } from 'vitest';
import type { LessonTraining } from '../../src/app/lessons/lessonTraining.ts';
import { EXACT } from '../../src/engine/engineName.ts';
import { STATE_MS } from '../limits.ts';
import { eventually, SMALL } from './app.ts';
import { openPage } from './chromium.ts';
import { expectTrainedLesson } from './trainedLesson.ts';

// test/unit/lessons/lessons.long.test.ts checks the runs of every lesson on Node.
test.each([
  ['second-tries', ['write', 'write', 'pick']],
  ['tests-that-count', ['write', 'pick']],
] as const)('the statements of lesson %s are true for its runs, and its exercises check answers', expectTrainedLesson);

test('both arms of a lesson train on the exact engine in a browser without WebGPU', async () => {
  const before = 'delete Navigator.prototype.gpu;';
  const { page, errors, close } = await openPage(`${SMALL}#learn/pay-each-turn`, { before });
  await page.getByRole('button', { name: 'It soon searches in nearly every attempt', exact: true }).click();
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await page.getByRole('heading', { name: 'Your prediction and the result' }).waitFor({ timeout: 2 * STATE_MS });
  const runs = () =>
    page.locator('tw-experiment').evaluate((experiment) => {
      const { models, metrics } = (experiment as unknown as { readonly training: LessonTraining }).training;
      return models.map(({ configuration }, run) => [configuration.engine, metrics[run]?.length]);
    });
  await eventually(runs).toEqual(Array(2).fill([EXACT, 60]));
  expect(errors).toEqual([]);
  await close();
});
