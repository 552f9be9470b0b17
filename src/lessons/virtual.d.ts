/** Modules that the plugin of vitePlugin.ts provides. */
declare module 'virtual:lessons' {
  export const LESSONS: readonly (import('./lesson.ts').LessonHead & {
    readonly load: () => Promise<{ readonly default: import('./lesson.ts').Lesson }>;
  })[];
}
