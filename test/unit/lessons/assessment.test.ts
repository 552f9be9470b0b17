import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { glossaryStrings } from '../../../src/app/strings/glossaryStrings.ts';
import { LessonError } from '../../../src/lessons/lesson.ts';
import { readAssessmentFiles } from '../../../src/lessons/lessonFiles.ts';
import { readAssessment } from '../../../src/lessons/readCourse.ts';
import { root } from '../../files.ts';

describe('the assessment', () => {
  const questions = readAssessmentFiles(join(root, 'lessons'), Object.keys(glossaryStrings.meanings));

  test('the assessment has eight questions, two of them open', () => {
    expect(questions).toHaveLength(8);
    expect(questions.filter(({ choices }) => choices.length === 0)).toHaveLength(2);
  });

  test('the right choices of the assessment are at three or more different positions', () => {
    const positions = questions.flatMap(({ choices, right }) =>
      choices.length === 0 ? [] : choices.findIndex(({ name }) => name === right),
    );
    expect(new Set(positions).size).toBeGreaterThanOrEqual(3);
  });

  test('the right choice of the question "by-hand" is the computed advantage (1 - 0.4) / 0.4', () => {
    const question = questions.find(({ name }) => name === 'by-hand');
    const rewards = [1, 0.2, 0.2, 0.2];
    const mean = rewards.reduce((sum, reward) => sum + reward, 0) / 4;
    const deviation = Math.sqrt(rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / 3);
    const label = question?.choices.find(({ name }) => name === question.right)?.label;
    expect(Number(label)).toBeCloseTo((1 - mean) / deviation);
  });
});

describe('readAssessment', () => {
  const DATA =
    'questions:\n  - { name: pay, lesson: one, choices: [a, b], right: b }\n  - { name: why, lesson: one }\n';
  const TEXT =
    '## pay\n\n### Question\n\nWho?\n\n### Choices\n\n- A\n- B\n\n### Why\n\nSo.\n\n## why\n\n### Question\n\nWhy?\n\n### Why\n\nSo.\n';
  const references = { glossaryTerms: undefined, lessons: new Set(['one']) };
  const read = (data: string, text: string) => readAssessment(data, text, references);

  test('readAssessment returns the questions of an assessment without a fault', () => {
    expect(read(DATA, TEXT)).toEqual([
      {
        ...{ name: 'pay', lesson: 'one', question: '<p>Who?</p>', right: 'b', why: '<p>So.</p>' },
        choices: [
          { name: 'a', label: 'A' },
          { name: 'b', label: 'B' },
        ],
      },
      { name: 'why', lesson: 'one', question: '<p>Why?</p>', choices: [], right: '', why: '<p>So.</p>' },
    ]);
  });

  test.each([
    [
      'questions 1: the field "lesson" has to be the name of a lesson',
      DATA.replace('lesson: one,', 'lesson: two,'),
      TEXT,
    ],
    ['questions 1: the field "right" has to be one of a, b', DATA.replace('right: b', 'right: c'), TEXT],
    ['course/assessment.yaml: the question "pay" comes twice', DATA.replace('name: why', 'name: pay'), TEXT],
    ['course/assessment.md, pay: 2 choices are required', DATA, TEXT.replace('- B\n', '')],
    ['course/assessment.md, pay: a choice is a line that begins with "- "', DATA, TEXT.replace('- B', '* B')],
    ['course/assessment.md, pay: the section "Why" is missing or empty', DATA, TEXT.replace('So.', '')],
    ['course/assessment.md: the section "why" is missing or empty', DATA, TEXT.replace('## why', '## how')],
    ['course/assessment.md: there is text above the first heading', DATA, `Hello.\n\n${TEXT}`],
    ['course/assessment.md: the heading "why" comes twice', DATA, `${TEXT}\n## why\n\nAgain.\n`],
    ['course/assessment.md: the section "else" is not known', DATA, `${TEXT}\n## else\n\nMore.\n`],
    ['course/assessment.md, pay: HTML is not allowed', DATA, TEXT.replace('Who?', '<b>Who?</b>')],
  ])('readAssessment throws an error with the location of the fault: %s', (message, data, text) => {
    expect(() => read(data, text)).toThrow(LessonError);
    expect(() => read(data, text)).toThrow(message);
  });
});
