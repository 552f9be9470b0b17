/** Modules that the plugin of vitePlugin.ts provides. */
declare module 'virtual:assessment' {
  const questions: readonly import('./assessment.ts').AssessmentQuestion[];
  export default questions;
}

declare module 'virtual:teacher' {
  const notes: import('./teacher.ts').CourseNotes;
  export default notes;
}
