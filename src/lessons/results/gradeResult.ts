import type { AssessmentQuestion } from '../course/assessment.ts';
import type { Lesson } from '../lesson.ts';
import type { CourseResult } from './courseResult.ts';
import { type GradeLine, gradeAssessment, gradeRecord, type Rerun } from './grade.ts';

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
