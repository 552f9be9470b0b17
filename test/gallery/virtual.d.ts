/** What the plugin of elements.ts makes. */
declare module 'virtual:elements' {
  export const ELEMENTS: readonly import('./elements.ts').ElementSource[];
}
