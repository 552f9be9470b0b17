import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { glossaryStrings } from '../../../src/app/strings/glossaryStrings.ts';
import { LessonError } from '../../../src/lessons/lesson.ts';
import { readLessons, readTeacherFiles } from '../../../src/lessons/lessonFiles.ts';
import { readCourseNotes, readLessonNotes } from '../../../src/lessons/readCourse.ts';
import { root } from '../../files.ts';

const notes = readTeacherFiles(join(root, 'lessons'), Object.keys(glossaryStrings.meanings));

describe('the notes for teachers', () => {
  test('the plans for teachers last 10, 45 and 90 minutes, and their steps add up to these times', () => {
    const minutes = notes.plans.map(({ text }) =>
      [...text.matchAll(/<strong>(\d+) minutes\.<\/strong>/g)].map(([, count]) => Number(count)),
    );
    const sums = minutes.map((steps) => steps.reduce((sum, duration) => sum + duration, 0));
    expect(notes.plans.map((plan) => plan.minutes)).toEqual([10, 45, 90]);
    expect(sums).toEqual([10, 45, 90]);
  });

  test('the notes for teachers cover every lesson, in the order of the course', () => {
    const lessons = readLessons(join(root, 'lessons')).map(({ name }) => name);
    expect(notes.lessons.map(({ lesson }) => lesson)).toEqual(lessons);
  });

  test('the notes for teachers have a training time of 5 to 600 s for each lesson', () => {
    for (const { lesson, seconds } of notes.lessons) {
      expect(seconds, lesson).toBeGreaterThan(5);
      expect(seconds, lesson).toBeLessThan(600);
    }
  });

  test.each(notes.lessons)(
    '$lesson: every task of the worksheet has an answer in the key, and the talk takes 5 to 15 minutes',
    ({ worksheet, key, talk }) => {
      const tasks = [...worksheet.matchAll(/<li>/g)].length;
      expect([...key.matchAll(/<li>/g)].length).toBe(tasks);
      expect(tasks).toBeGreaterThanOrEqual(4);
      const minutes = talk.reduce((sum, step) => sum + step.minutes, 0);
      expect(minutes).toBeGreaterThanOrEqual(5);
      expect(minutes).toBeLessThanOrEqual(15);
    },
  );
});

describe('readLessonNotes and readCourseNotes', () => {
  const TEXT =
    '## Goals\n\nA.\n\n## Talk track\n\n### Ask (2 min) college\n\nB.\n\n## Misunderstandings\n\nC.\n\n## Worksheet\n\nD.\n\n## Key\n\nE.\n';
  const references = { glossaryTerms: undefined, lessons: new Set(['one']) };
  const read = (text: string) => readLessonNotes('one', text, references);

  test('readLessonNotes returns notes without a fault', () => {
    expect(read(TEXT)).toEqual({
      ...{
        lesson: 'one',
        goals: '<p>A.</p>',
        misunderstandings: '<p>C.</p>',
        worksheet: '<p>D.</p>',
        key: '<p>E.</p>',
      },
      talk: [{ title: 'Ask', minutes: 2, level: 'college', text: '<p>B.</p>' }],
    });
  });

  test.each([
    [
      'one/teacher.md: the step "Ask (2 min) expert" has to be "TITLE (2 min) LEVEL"',
      TEXT.replace('college', 'expert'),
    ],
    ['one/teacher.md: the section "Keys" is not known', TEXT.replace('## Key', '## Keys')],
    ['one/teacher.md: the section "Key" is missing or empty', TEXT.replace('E.', '')],
    ['one/teacher.md: there is no lesson "two"', TEXT.replace('A.', '[x](lesson:two)')],
  ])('readLessonNotes throws an error with the location of the fault: %s', (message, text) => {
    expect(() => read(text)).toThrow(LessonError);
    expect(() => read(text)).toThrow(message);
  });

  test('readCourseNotes throws an error that names an unknown section', () => {
    const complete = ['About', '10 minutes', '45 minutes', '90 minutes']
      .map((title) => `## ${title}\n\nA.\n`)
      .join('\n');
    expect(readCourseNotes(complete, references).plans).toHaveLength(3);
    expect(() => readCourseNotes(complete.replace('45', '50'), references)).toThrow(
      'course/teacher.md: the section "50 minutes" is not known',
    );
  });
});
