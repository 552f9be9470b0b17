import { expect, test } from 'vitest';
import { LessonFindings } from '../../../../src/app/lessons/lessonFindings.ts';
import { lessonFixture } from '../../lessons/lessonFixture.ts';
import { renderedMarkup } from '../renderedMarkup.ts';

test('the findings of a lesson state the counts over ten seeds only at the batch size of the lesson', () => {
  const findings = (sized: boolean) => renderedMarkup(new LessonFindings(), { lesson: lessonFixture(), sized });
  const counts = /Of the seeds 1 to \d+, \d+ showed it/;
  expect(findings(false)).toMatch(counts);
  expect(findings(true)).not.toMatch(counts);
  expect(findings(true)).toContain('another batch size than the lesson');
});
