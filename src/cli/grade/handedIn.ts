import type { AssessmentQuestion } from '../../lessons/course/assessment.ts';
import type { Lesson } from '../../lessons/lesson.ts';
import type { CourseResult } from '../../lessons/results/courseResult.ts';
import { type GradeLine, gradeAssessment, gradeRecord, type Rerun } from '../../lessons/results/grade.ts';
import { ResultError } from '../../lessons/results/resultError.ts';
import { readResultFile } from '../../lessons/results/resultFile.ts';
import { UsageError } from '../framework/errors.ts';
import { textOf } from '../framework/inputs.ts';
import { show } from '../framework/policyFiles.ts';

/** A file as it was handed in: what it holds, or why it cannot be read. */
export type HandedIn =
  | { readonly file: string; readonly result: CourseResult; readonly problem?: undefined }
  | { readonly file: string; readonly result?: undefined; readonly problem: string };

/** Reads a file; what cannot be read is told, so that the others are graded. */
export function handedIn(file: string): HandedIn {
  const name = show(file);
  try {
    return { file: name, result: readResultFile(textOf(file, name)) };
  } catch (error) {
    if (error instanceof ResultError) return { file: name, problem: error.message };
    if (error instanceof UsageError) return { file: name, problem: error.message.replace(`${name} `, 'it ') };
    throw error;
  }
}

/** What files are held against. */
export interface Course {
  readonly lessons: readonly Lesson[];
  readonly assessment: readonly AssessmentQuestion[];
}

/** Every question of a file. */
export async function gradeResult(
  { lessons, assessment }: Course,
  result: CourseResult,
  rerun: Rerun,
): Promise<readonly GradeLine[]> {
  const lines = gradeAssessment(assessment, result.assessment);
  for (const record of result.lessons) {
    const lesson = lessons.find(({ name }) => name === record.lesson);
    if (lesson) lines.push(...(await gradeRecord(lesson, record, rerun)));
    else lines.push(unknownLesson(record.lesson));
  }
  return lines;
}

function unknownLesson(lesson: string): GradeLine {
  const note = 'there is no such lesson here';
  return { lesson, attempt: 0, question: '', answer: '', expected: '', verdict: 'unchecked', note };
}
