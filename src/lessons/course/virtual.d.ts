/** What the plugin of vitePlugin.ts makes. */
declare module 'virtual:assessment' {
  const questions: readonly import('./assessment.ts').AssessmentQuestion[];
  export default questions;
}
