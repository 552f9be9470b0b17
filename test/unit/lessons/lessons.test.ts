import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { glossaryStrings } from '../../../src/app/strings/glossaryStrings.ts';
import { LEVELS, LessonError } from '../../../src/lessons/lesson.ts';
import { readLessons } from '../../../src/lessons/lessonFiles.ts';
import { type LessonFiles, readLesson } from '../../../src/lessons/readLesson.ts';
import { root } from '../../files.ts';

const terms = Object.keys(glossaryStrings.meanings);
const lessons = readLessons(join(root, 'lessons'), terms);

describe('lessons', () => {
  test('readLessons returns all lessons in the order of the course', () => {
    expect(lessons.map(({ order, name }) => `${order} ${name}`)).toEqual([
      '1 one-reward',
      '2 tool-dies',
      '3 pay-each-turn',
      '4 adding-up',
      '5 critic',
      '6 second-tries',
      '7 tests-that-count',
      '8 rollouts-meet',
      '9 true-worth',
      '10 rewards-lie',
    ]);
  });

  test.each(lessons)('lesson $name has a different text at each level', ({ texts }) => {
    const all = LEVELS.flatMap((level) => [texts[level].before, texts[level].after]);
    expect(new Set(all).size).toBe(2 * LEVELS.length);
  });

  test.each(lessons)('lesson $name has short sentences at the levels five-year-old and high-school', ({ texts }) => {
    const longest = (html: string) =>
      html
        .replace(/<[^>]+>/g, ' ')
        .split(/[.?!:]\s/)
        .map((sentence) => sentence.trim().split(/\s+/).length);
    for (const [level, maximum] of [
      ['five-year-old', 20],
      ['high-school', 28],
    ] as const) {
      const { before, after } = texts[level];
      expect(Math.max(...longest(before), ...longest(after)), level).toBeLessThanOrEqual(maximum);
    }
  });

  test.each(lessons)('lesson $name has a picture with a text alternative of more than 8 words', ({ picture }) => {
    expect(picture?.svg).toMatch(/^<svg .*<\/svg>$/);
    expect(picture?.alt.split(' ').length).toBeGreaterThan(8);
  });

  test.each(lessons)('lesson $name has a summary sentence of at most 12 words', ({ sentence }) => {
    expect(sentence.split(' ').length).toBeLessThanOrEqual(12);
  });

  test.each(lessons)(
    'lesson $name uses the terms reward and credit, and no form of "pay"',
    ({ title, sentence, predict, runs, expects, texts, exercises }) => {
      const all = [
        ...[title, sentence, predict.question],
        ...[...runs, ...predict.choices].map(({ label }) => label),
        ...expects.map(({ text }) => text),
        ...LEVELS.flatMap((level) => [texts[level].before, texts[level].after]),
        ...exercises.flatMap(({ text, hint }) => [text, hint]),
      ];
      const usedTerms = all.flatMap(
        (text) => text.replace(/<[^>]*>/g, ' ').match(/\b(un)?pa(y|ys|id|ying|yment|yments)\b/gi) ?? [],
      );
      expect(usedTerms).toEqual([]);
    },
  );

  test.each(lessons)('lesson $name offers four curves, and at least one agrees with the expected result', (lesson) => {
    expect(lesson.predict.choices).toHaveLength(4);
    const run = lesson.runs.find(({ name }) => name === lesson.predict.run);
    const expected = lesson.expects.filter(({ run: of, line }) => of === run?.name && line === lesson.predict.line);
    const ends = lesson.predict.choices.map(({ points }) => points.at(-1)?.[1] ?? Number.NaN);
    const [last] = expected.slice(-1);
    expect(ends.filter((end) => (last?.is === 'below' ? end < last.value : end > (last?.value ?? 1)))).not.toEqual([]);
  });
});

describe('readLesson', () => {
  const DATA = `order: 1
unit: story
minutes: 5
pace: 4
runs: [{ name: end, preset: grpo-or, steps: 40 }]
predict: { run: end, line: answer, choices: [{ name: a, points: [[0, 0.3], [40, 1]] }] }
lines: [answer]
expects: [{ run: end, line: answer, above: 0.9, by: 40, held: 10 }]
`;
  const TEXT = `---
title: A lesson
sentence: What?
question: How many?
runs: [What came]
choices: [All]
expects: [Nearly all.]
---
`;
  const EXERCISE = `${TEXT}\n## Exercise 1\n\nA.\n\n## Hint 1\n\nB.\n`;
  const LEVEL = '## Before\n\nA [turn](word:turn).\n\n## After\n\nSo.\n';
  const references = { glossaryTerms: new Set(terms), lessons: new Set(['a-lesson']) };
  const files = (
    parts: { data?: string; text?: string; level?: string; additionalFiles?: LessonFiles['texts'] } = {},
  ) => ({
    name: 'a-lesson',
    data: parts.data ?? DATA,
    texts: {
      ...Object.fromEntries(LEVELS.map((level) => [`${level}.md`, LEVEL])),
      'peer.md': parts.level ?? LEVEL,
      'lesson.md': parts.text ?? TEXT,
      ...parts.additionalFiles,
    },
  });
  const read = (parts: Parameters<typeof files>[0]) => () => readLesson(files(parts), references);

  test('readLesson returns a lesson without a fault', () => {
    const lesson = readLesson(files(), references);
    expect(lesson.texts.peer.before).toBe(
      '<p>A <button type="button" class="word" data-word="turn">turn</button>.</p>',
    );
    expect(lesson).toMatchObject({
      title: 'A lesson',
      exercises: [],
      runs: [{ preset: 'grpo-or', schedule: [] }],
    });
  });

  test.each([
    ['a script', '<svg viewBox="0 0 9 9"><script>1</script></svg>', '<script> is no shape'],
    [
      'an event handler',
      '<svg viewBox="0 0 9 9"><path onclick="x" d="M0 0"/></svg>',
      'the attribute "onclick" is not known',
    ],
    ['a fixed colour', '<svg viewBox="0 0 9 9"><path fill="red" d="M0 0"/></svg>', 'the colour "red" has to be'],
    ['no viewBox', '<svg><path d="M0 0"/></svg>', 'one <svg> with a viewBox'],
  ])('readLesson throws an error for a picture with %s', (_, picture, message) => {
    const text = TEXT.replace('question:', 'picture: A drawing.\nquestion:');
    expect(() => readLesson({ ...files({ text }), picture }, references)).toThrow(`a-lesson/picture.svg: `);
    expect(() => readLesson({ ...files({ text }), picture }, references)).toThrow(message);
  });

  test('readLesson returns the first measured training time, or an error with the location of a fault', () => {
    const measured = 'measured:\n  - { device: A, seconds: 2, cores: 2, load: 1 }\n';
    const withTimes = (text: string) => () => readLesson({ ...files(), measured: text }, references);
    expect(withTimes(measured)().seconds).toBe(2);
    expect(readLesson(files(), references).seconds).toBeUndefined();
    expect(withTimes(measured.replace('seconds: 2', 'seconds: none'))).toThrow(
      'a-lesson/measured.yaml, measured 1: the field "seconds" has to be a number',
    );
    expect(withTimes(measured.replace('load', 'weight'))).toThrow('measured 1: the field "load" is missing');
  });

  test('readLesson makes a formula focusable for scrolling with keys, and escapes its characters', () => {
    const level = LEVEL.replace('So.', 'So:\n\n    A = Q − V < 1 & more\n');
    const { after } = readLesson(files({ level }), references).texts.peer;
    expect(after).toContain('<pre tabindex="0"><code>A = Q − V &lt; 1 &amp; more</code></pre>');
  });

  test('readLesson throws an error for a picture without a description', () => {
    const picture = '<svg viewBox="0 0 9 9"><path d="M0 0"/></svg>';
    expect(() => readLesson({ ...files(), picture }, references)).toThrow('the field "picture" is missing');
  });

  test.each<readonly [message: string, parts: Parameters<typeof files>[0]]>([
    ['exercises 1: the field "kind" has to be one of advantages', { data: `${DATA}exercises: [{ kind: riddle }]\n` }],
    [
      'a-lesson/lesson.md: the section "Hint 1" is missing or empty',
      { data: `${DATA}exercises: [{ kind: worth }]\n`, text: `${TEXT}\n## Exercise 1\n\nA.\n` },
    ],
    ['a-lesson/lesson.md: the section "Exercise 1" is not known', { text: `${TEXT}\n## Exercise 1\n\nA.\n` }],
    [
      'exercises 1: the field "rule" is not known',
      { data: `${DATA}exercises: [{ kind: worth, rule: grpo-or }]\n`, text: EXERCISE },
    ],
    [
      'the field "begin" has to be numbers by the names of controls of the run',
      { data: `${DATA}exercises: [{ kind: pay, goal: once, begin: { price: 1 } }]\n`, text: EXERCISE },
    ],
    [
      'a-lesson/lesson.yaml: the field "unit" has to be one of story, credit, limits',
      { data: DATA.replace('unit: story', 'unit: other') },
    ],
    [
      'a-lesson/lesson.yaml, formulas 1, group, has 1: the field "first" has to be one of searched, skipped, malformed in the environment search',
      { data: `${DATA}formulas: [{ of: grpo-or, run: end, group: { has: [{ first: key }] } }]\n` },
    ],
    [
      'formulas 1, group, has 1: the field "first" has to be set, unless "outcome" is',
      { data: `${DATA}formulas: [{ of: grpo-or, run: end, group: { has: [{}] } }]\n` },
    ],
    [
      'formulas 1, group: the field "from" has to be a number from 0 to 39',
      { data: `${DATA}formulas: [{ of: grpo-or, run: end, group: { from: 40, has: [] } }]\n` },
    ],
    [
      'exercises 1, group, has 1: the field "reward" is not known',
      {
        data: `${DATA}exercises: [{ kind: advantages, rule: grpo-or, group: { has: [{ first: skipped, reward: 1 }] } }]\n`,
        text: EXERCISE,
      },
    ],
    ['a-lesson/lesson.yaml: the field "minutes" is missing', { data: DATA.replace('minutes: 5\n', '') }],
    ['a-lesson/lesson.yaml: the field "tempo" is not known', { data: `${DATA}tempo: 3\n` }],
    ['the field "minutes" has to be a number from 1 to 60', { data: DATA.replace('minutes: 5', 'minutes: 500') }],
    ['runs 1: the field "preset" has to be one of', { data: DATA.replace('grpo-or', 'grpo-xx') }],
    [
      'expects 1: the field "run" has to be one of end',
      { data: DATA.replace('run: end, line: answer, above', 'run: other, line: answer, above') },
    ],
    ['the environment search has no line "anger"', { data: DATA.replaceAll('answer', 'anger') }],
    ['the field "points" has to be shares from step 0 to step 40', { data: DATA.replace('[40, 1]', '[30, 1]') }],
    ['begins with what is predicted', { data: DATA.replace('lines: [answer]', 'lines: [toolUse]') }],
    ['the field "by" has to be a number from 1 to 40', { data: DATA.replace('by: 40', 'by: 41') }],
    ['the field "why" has to be a list of names of runs', { data: `${DATA}why: [other]\n` }],
    ['a-lesson/lesson.yaml: ', { data: 'order: [1' }],
    ['a-lesson/lesson.md: it has to begin with fields', { text: 'Just a text.' }],
    ['the field "choices" has to be a list', { text: TEXT.replace('choices: [All]', 'choices: []') }],
    ['a-lesson: the file peer.md is missing', { additionalFiles: { 'peer.md': undefined as unknown as string } }],
    [
      'a-lesson/expert.md: a lesson has lesson.md, teacher.md and five-year-old.md',
      { additionalFiles: { 'expert.md': LEVEL } },
    ],
    ['a-lesson/peer.md: the section "After" is missing or empty', { level: '## Before\n\nA.\n' }],
    ['a-lesson/peer.md: the glossary has no word "tern"', { level: LEVEL.replace('word:turn', 'word:tern') }],
    ['there is no lesson "other"', { level: LEVEL.replace('word:turn', 'lesson:other') }],
    ['"grpo" is no number of arXiv', { level: LEVEL.replace('word:turn', 'paper:grpo') }],
    ['the link "javascript:alert(1)" is none of', { level: LEVEL.replace('word:turn', 'javascript:alert(1)') }],
    ['HTML is not allowed in a lesson: <b onclick="x">', { level: `${LEVEL}\n<b onclick="x">bold</b>\n` }],
    ['450 are the most', { level: LEVEL.replace('So.', 'So. '.repeat(500)) }],
  ])('readLesson throws an error with the location of the fault: %s', (message, parts) => {
    expect(read(parts)).toThrow(LessonError);
    expect(read(parts)).toThrow(message);
    expect(read(parts)).not.toThrow('Please report');
  });
});
