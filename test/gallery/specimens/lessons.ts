import { LESSONS } from 'virtual:lessons';
import notes from 'virtual:teacher';
import { html } from 'lit';
import '../../../src/app/lessons/assessmentView.ts';
import '../../../src/app/lessons/lessonView.ts';
import '../../../src/app/lessons/lessonExercise.ts';
import '../../../src/app/lessons/lessonExperiment.ts';
import '../../../src/app/lessons/lessonFindings.ts';
import '../../../src/app/lessons/lessonFormula.ts';
import '../../../src/app/lessons/lessonProse.ts';
import '../../../src/app/lessons/lessonResult.ts';
import '../../../src/app/lessons/lessonsView.ts';
import '../../../src/app/lessons/lessonView.ts';
import { EMPTY_PREDICTION, ofChoice } from '../../../src/lessons/prediction.ts';
import '../../../src/app/lessons/predictChart.ts';
import '../../../src/app/lessons/resultPanel.ts';
import '../../../src/app/lessons/classResults.ts';
import '../../../src/app/lessons/teacherView.ts';
import { bindFormula, EXERCISES } from '../../../src/app/lessons/exercises/plan.ts';
import { type FormulaName, type Lesson, type LessonExercise, lessonRun } from '../../../src/lessons/lesson.ts';
import type { AssessmentAnswers } from '../../../src/lessons/results/courseResult.ts';
import type { GroupView } from '../../../src/training/data/protocol.ts';
import { groupOf } from '../../unit/app/appFixtures.ts';
import { lessonFixture } from '../../unit/lessons/lessonFixture.ts';
import { attempt, classFixture, courseFixture } from '../../unit/lessons/results/resultFixture.ts';
import { learning, runOf } from '../runs.ts';
import type { Specimens } from '../specimen.ts';

const lesson = lessonFixture();
const drawn = ofChoice(lesson.predict.choices[0] ?? { name: '', label: '', points: [] }, 40);
const MARKS = [{ step: 20, label: 'from here on, only answers are rewarded' }];

const COMPARED: AssessmentAnswers = {
  before: { 'two-turns': 'own', 'by-hand': 'large', explain: 'The calls become malformed.' },
  after: {
    'two-turns': 'same',
    'by-hand': 'large',
    explain: 'Attempts are compared, and both turns get the same credit.',
  },
  compared: true,
};

function result(of: Lesson, steps: number, done: boolean) {
  const models = of.runs.map((run) => runOf('search', { configuration: lessonRun(run), metrics: learning(steps) }));
  return html`<tw-lesson-result .lesson=${of} .prediction=${drawn} .models=${models} .runs=${models.map(({ metrics }) => metrics)}
    ?done=${done}></tw-lesson-result>`;
}

/** Creates a group whose attempts all have the same outcome. */
function tied(step: number): GroupView {
  const { forest, rollouts, ...group } = groupOf({ step });
  const turns = forest.turns.map((turn) => (turn.outcome === undefined ? turn : { ...turn, outcome: 1 }));
  return { ...group, forest: { ...forest, turns }, rollouts: rollouts.map((rollout) => ({ ...rollout, outcome: 1 })) };
}

/** Exercise with several groups, in which the user marks options. */
const marking: LessonExercise = {
  ...{ ...lesson.exercises[0], kind: 'tied' },
  ...{ text: '<p>Find them.</p>', hint: '<p>When is every distance from the mean zero?</p>' },
};

const exercise = (of: LessonExercise, ...groups: readonly GroupView[]) =>
  html`<tw-lesson-exercise name="Exercise 1" .lesson=${of} .exercise=${EXERCISES[of.kind](groups, of, {})}></tw-lesson-exercise>`;

const formula = (name: FormulaName) =>
  html`<tw-lesson-formula .formula=${bindFormula(name, [groupOf({ step: 4 })], {})}></tw-lesson-formula>`;

const level = (name: 'five-year-old' | 'peer') =>
  html`<tw-lesson .lesson=${lesson} .level=${name} .next=${LESSONS[1]}></tw-lesson>`;

export const LESSON_ELEMENTS: Specimens = {
  'tw-density-figure': [{ state: 'usual', content: () => html`<tw-density-figure></tw-density-figure>` }],
  'tw-lessons': [
    { state: 'usual', note: 'the list', content: () => html`<tw-lessons .path=${[]}></tw-lessons>` },
    { state: 'error', note: 'no such lesson', content: () => html`<tw-lessons .path=${['nowhere']}></tw-lessons>` },
  ],
  'tw-lesson': [
    { state: 'usual', content: () => level('five-year-old') },
    { state: 'full', content: () => level('peer') },
  ],
  'tw-lesson-prose': [
    {
      state: 'usual',
      content: () => html`<tw-lesson-prose .text=${lesson.texts.college.before}></tw-lesson-prose>`,
    },
    { state: 'empty', content: () => html`<tw-lesson-prose></tw-lesson-prose>` },
  ],
  'tw-experiment': [{ state: 'usual', content: () => html`<tw-experiment .lesson=${lesson}></tw-experiment>` }],
  'tw-predict-chart': [
    {
      state: 'usual',
      content: () =>
        html`<tw-predict-chart .steps=${40} .prediction=${drawn} .marks=${MARKS} line="Tool use"></tw-predict-chart>`,
    },
    {
      state: 'empty',
      content: () =>
        html`<tw-predict-chart .steps=${40} .prediction=${EMPTY_PREDICTION} line="Tool use"></tw-predict-chart>`,
    },
  ],
  'tw-lesson-result': [
    { state: 'usual', content: () => result(lesson, 40, true) },
    { state: 'empty', note: 'before the first update', content: () => result(lesson, 0, false) },
  ],
  'tw-lesson-findings': [
    {
      state: 'usual',
      content: () => {
        const models = lesson.runs.map((run) =>
          runOf('search', { configuration: lessonRun(run), metrics: learning(40) }),
        );
        return html`<tw-lesson-findings .lesson=${lesson} .models=${models} .runs=${models.map(({ metrics }) => metrics)}></tw-lesson-findings>`;
      },
    },
  ],
  'tw-teacher': [
    { state: 'usual', note: 'the overview', content: () => html`<tw-teacher .path=${[]}></tw-teacher>` },
    { state: 'error', note: 'no such notes', content: () => html`<tw-teacher .path=${['nowhere']}></tw-teacher>` },
  ],
  'tw-lesson-notes': [
    {
      state: 'usual',
      content: () => html`<tw-lesson-notes .head=${LESSONS[0]} .notes=${notes.lessons[0]}></tw-lesson-notes>`,
    },
  ],
  'tw-print-sheet': [
    {
      state: 'usual',
      content: () =>
        html`<tw-print-sheet .lesson=${lesson} .text=${notes.lessons[0]?.worksheet ?? ''}></tw-print-sheet>`,
    },
    {
      state: 'full',
      note: 'the key',
      content: () =>
        html`<tw-print-sheet .lesson=${lesson} kind="key" .text=${notes.lessons[0]?.key ?? ''}></tw-print-sheet>`,
    },
  ],
  'tw-class': [
    { state: 'empty', content: () => html`<tw-class></tw-class>` },
    { state: 'usual', content: () => html`<tw-class .opened=${classFixture(12)}></tw-class>` },
  ],
  'tw-class-chart': [
    {
      state: 'usual',
      content: () => html`<tw-class-chart line="Tool use" .predictions=${[[0.5, 1, 0]]} .middle=${[0.5, 1, 0]}
        .curves=${[[0.5, 0.25, 0.125, 0.0625]]} .steps=${4}></tw-class-chart>`,
    },
    { state: 'empty', content: () => html`<tw-class-chart></tw-class-chart>` },
  ],
  'tw-assessment': [
    {
      state: 'empty',
      note: 'before the lessons',
      content: () => html`<tw-assessment .displayed=${{}}></tw-assessment>`,
    },
    {
      state: 'usual',
      note: 'both times compared',
      content: () => html`<tw-assessment .displayed=${COMPARED}></tw-assessment>`,
    },
  ],
  'tw-results': [
    {
      state: 'empty',
      content: () => html`<tw-results .displayed=${courseFixture({ lessons: [], assessment: {} })}></tw-results>`,
    },
    {
      state: 'usual',
      content: () =>
        html`<tw-results .displayed=${courseFixture({ lessons: [{ lesson: 'one-reward', attempts: [attempt()] }] })}></tw-results>`,
    },
  ],
  'tw-lesson-exercise': [
    { state: 'usual', content: () => exercise(lesson.exercises[0], groupOf({ step: 4 })) },
    { state: 'full', content: () => exercise(marking, tied(3), groupOf({ step: 4 }), tied(9)) },
    { state: 'empty', content: () => exercise(lesson.exercises[0]) },
  ],
  'tw-lesson-formula': [
    { state: 'usual', content: () => formula('grpo-or') },
    { state: 'full', content: () => formula('mt-grpo') },
    { state: 'empty', content: () => html`<tw-lesson-formula></tw-lesson-formula>` },
  ],
};
