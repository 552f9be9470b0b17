import {
  type AssessmentAnswers,
  type Attempt,
  type CourseResult,
  type ExerciseResult,
  type LessonRecord,
  withAttempt,
  withExercise,
} from '../../lessons/results/courseResult.ts';
import { readRecord } from '../../lessons/results/readRecord.ts';
import { readAssessment } from '../../lessons/results/resultFile.ts';

// A user's results in the lessons remain in the user's browser until the user saves them as a file. The number in the
// keys is the version of the stored values: another version does not change these entries.
const ENTRY = 'turnwise-result-1-';
const NAME = 'turnwise-result-name';
const ASSESSMENT = 'turnwise-assessment-1';

/** Entries that the browser refuses to store; they last until the page is closed. */
const unsaved = new Map<string, string>();

/** Returns the record of a lesson; undefined if there is no record, or if it cannot be read. */
export function recordOf(lesson: string): LessonRecord | undefined {
  return read(`${ENTRY}${lesson}`, (value) => readRecord(value, lesson));
}

/** An experiment came to its end. */
export function saveAttempt(lesson: string, attempt: Attempt): void {
  save(`${ENTRY}${lesson}`, withAttempt(recordOf(lesson) ?? { lesson, attempts: [] }, attempt));
}

/** An exercise of the lesson's last experiment was answered. */
export function saveExercise(lesson: string, exercise: ExerciseResult): void {
  const record = recordOf(lesson);
  if (record) save(`${ENTRY}${lesson}`, withExercise(record, exercise));
}

/** Answers to the assessment. */
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

/** Everything that was done. @param lessons names of all lessons, in their order */
export function courseResult(lessons: readonly string[]): CourseResult {
  const records = lessons.flatMap((lesson) => recordOf(lesson) ?? []);
  return { name: readName(), lessons: records, assessment: savedAssessment() };
}

/** Forgets everything, for the next reader at this browser. @param predictions keys of what else belongs to it */
export function deleteResults(lessons: readonly string[], predictions: readonly string[]): void {
  for (const key of [NAME, ASSESSMENT, ...lessons.map((lesson) => `${ENTRY}${lesson}`), ...predictions]) {
    unsaved.delete(key);
    try {
      localStorage.removeItem(key);
    } catch {
      // A frame without storage has kept nothing.
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
