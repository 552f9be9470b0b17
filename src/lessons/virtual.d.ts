/** Modules that the plugin of vitePlugin.ts provides. */
declare module 'virtual:lessons' {
  export const LESSONS: readonly (import('./lesson.ts').LessonHead & {
    readonly load: () => Promise<{ readonly default: import('./lesson.ts').Lesson }>;
  })[];
}

declare module 'virtual:assessment' {
  const questions: readonly import('./course.ts').AssessmentQuestion[];
  export default questions;
}

declare module 'virtual:teacher' {
  const notes: import('./course.ts').CourseNotes;
  export default notes;
}
