import { ANY_GROUP } from '../../../src/lessons/groupCondition.ts';
import { LEVELS, type Lesson, type LessonText, type Level } from '../../../src/lessons/lesson.ts';

/** Returns a lesson for tests, with the given overrides. */
export function lessonFixture(overrides: Partial<Lesson> = {}): Lesson {
  const text = (level: Level): LessonText => ({
    before: `<p>For a ${level}: every <button type="button" class="word" data-word="turn">turn</button> counts.</p>`,
    after: `<p>So it came, says a ${level}.</p>`,
  });
  return {
    ...{ name: 'made-up', order: 1, unit: 'story', minutes: 10, seconds: 40, seed: 1, pace: 4 },
    ...{ title: 'A made-up lesson', sentence: 'What will happen?' },
    runs: [
      {
        name: 'end',
        preset: 'grpo-or',
        controls: {},
        steps: 40,
        schedule: [],
        changes: [],
        label: 'Result',
      },
    ],
    predict: {
      ...{ run: 'end', line: 'answer', question: 'How many answers will be right?' },
      choices: [
        {
          name: 'rises',
          label: 'It rises',
          points: [
            [0, 0.3],
            [10, 0.8],
            [40, 0.97],
          ],
        },
        {
          name: 'falls',
          label: 'It falls',
          points: [
            [0, 0.3],
            [40, 0],
          ],
        },
      ],
    },
    lines: ['answer', 'toolUse'],
    expects: [
      {
        run: 'end',
        line: 'answer',
        is: 'above',
        value: 0.9,
        by: 40,
        over: 5,
        held: 10,
        seeds: 10,
        text: 'Answers end above 90 %.',
      },
    ],
    why: ['end'],
    exercises: [
      {
        ...{ kind: 'advantages', run: 'end', rule: 'grpo-or', parameters: {}, against: '', goal: 'once', begin: {} },
        ...{ group: ANY_GROUP, text: '<p>Compute it.</p>', hint: '<p>Begin with the mean.</p>' },
      },
    ],
    picture: {
      svg: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 470 160"><circle cx="80" cy="80" r="40" fill="currentColor"/></svg>',
      alt: 'A disc.',
    },
    formulas: [{ of: 'grpo-or', run: 'end', group: ANY_GROUP }],
    figure: undefined,
    texts: Object.fromEntries(LEVELS.map((level) => [level, text(level)])) as Record<Level, LessonText>,
    ...overrides,
  };
}
