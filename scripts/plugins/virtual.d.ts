// Modules that these plugins provide, and modules without types.

declare module 'virtual:lab' {
  export const RESULTS: Readonly<
    Record<
      string,
      | {
          readonly summary: import('../../src/experiments/claims/plot.ts').ClaimSummary;
          readonly load: () => Promise<{
            readonly default: import('../../src/experiments/claims/claimResult.ts').ClaimResult;
          }>;
        }
      | undefined
    >
  >;
}

declare module 'virtual:lessons' {
  export const LESSONS: readonly (import('../../src/lessons/lesson.ts').LessonHead & {
    readonly load: () => Promise<{ readonly default: import('../../src/lessons/lesson.ts').Lesson }>;
  })[];
}

declare module 'virtual:assessment' {
  const questions: readonly import('../../src/lessons/course.ts').AssessmentQuestion[];
  export default questions;
}

declare module 'virtual:teacher' {
  const notes: import('../../src/lessons/course.ts').CourseNotes;
  export default notes;
}

/** Build of sql.js with inline WebAssembly, so that no separate .wasm file is loaded. */
declare module 'sql.js/dist/sql-wasm-inline.js' {
  export { default } from 'sql.js';
}
