import { LEVELS, type Level } from '../../lessons/lesson.ts';
import { isFullyDrawn, type Prediction } from '../../lessons/prediction.ts';
import {
  type AssessmentAnswers,
  type Attempt,
  type CourseResult,
  type ExerciseResult,
  type LessonRecord,
  withAttempt,
  withExercise,
} from '../../lessons/results/courseResult.ts';
import { readAssessment, readRecord } from '../../lessons/results/resultFile.ts';
import { SavedChoice } from '../look/savedChoice.ts';

const level = new SavedChoice<Level>('turnwise-level', ['high-school', ...LEVELS]);

/** Returns the reading level that the user selected last, in any lesson. */
export const savedLevel = (): Level => level.value;
export const saveLevel = (chosen: Level): void => level.choose(chosen);

/** Returns the key under which the browser stores the prediction of a lesson. */
const predictionKey = (lesson: string) => `turnwise-lesson-${lesson}`;

/** Returns the stored prediction in a lesson; undefined if there is no prediction, or if it cannot be read. */
export function savedPrediction(lesson: string): Prediction | undefined {
  return read(predictionKey(lesson), (saved) => {
    const isShare = (value: unknown) => typeof value === 'number' && value >= 0 && value <= 1;
    return Array.isArray(saved) && saved.every(isShare) && isFullyDrawn(saved) ? saved : undefined;
  });
}

export function savePrediction(lesson: string, prediction: Prediction): void {
  save(predictionKey(lesson), prediction);
}

// The results of the lessons are stored in the user's browser only. The user can save them as a file. The number in
// each key is the version of the stored value, so that another version does not overwrite it.
const ENTRY = 'turnwise-result-1-';
const NAME = 'turnwise-result-name';
const ASSESSMENT = 'turnwise-assessment-1';

/** Entries that the browser could not store. They are lost when the page closes. */
const unsaved = new Map<string, string>();

/** Returns the record of a lesson; undefined if there is no record, or if it cannot be read. */
export function recordOf(lesson: string): LessonRecord | undefined {
  return read(`${ENTRY}${lesson}`, (value) => readRecord(value, lesson));
}

/** Saves a finished experiment of a lesson. */
export function saveAttempt(lesson: string, attempt: Attempt): void {
  save(`${ENTRY}${lesson}`, withAttempt(recordOf(lesson) ?? { lesson, attempts: [] }, attempt));
}

/**
 * Saves the answers to an exercise on the last experiment of a lesson. Without an experiment, the answers are not
 * saved.
 */
export function saveExercise(lesson: string, exercise: ExerciseResult): void {
  const record = recordOf(lesson);
  if (record) save(`${ENTRY}${lesson}`, withExercise(record, exercise));
}

/** Returns the stored answers to the assessment; empty without stored answers, or if they cannot be read. */
export function savedAssessment(): AssessmentAnswers {
  return read(ASSESSMENT, (value) => readAssessment(value, 'assessment')) ?? {};
}

export function saveAssessment(answers: AssessmentAnswers): void {
  save(ASSESSMENT, answers);
}

/** Returns the name that the user entered for the file. */
function readName(): string {
  return read(NAME, (value) => (typeof value === 'string' ? value : '')) ?? '';
}

export function saveName(name: string): void {
  save(NAME, name);
}

/** Returns all results of the user. @param lessons names of all lessons, in order */
export function courseResult(lessons: readonly string[]): CourseResult {
  const records = lessons.flatMap((lesson) => recordOf(lesson) ?? []);
  return { name: readName(), lessons: records, assessment: savedAssessment() };
}

/**
 * Deletes all predictions and results of the user, for example before another user continues in the same browser.
 * @param lessons names of all lessons
 */
export function deleteResults(lessons: readonly string[]): void {
  for (const key of [NAME, ASSESSMENT, ...lessons.flatMap((lesson) => [`${ENTRY}${lesson}`, predictionKey(lesson)])]) {
    unsaved.delete(key);
    try {
      localStorage.removeItem(key);
    } catch {
      // In a frame without storage there are no entries to delete.
    }
  }
}

function read<Value>(key: string, parse: (value: unknown) => Value): Value | undefined {
  try {
    const text = unsaved.get(key) ?? localStorage.getItem(key);
    return text === null ? undefined : parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function save(key: string, value: unknown): void {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(key, text);
    unsaved.delete(key);
  } catch {
    unsaved.set(key, text);
  }
}
