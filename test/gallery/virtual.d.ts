/** Output of the plugin of elements.ts. */
declare module 'virtual:elements' {
  export const ELEMENTS: readonly import('./elements.ts').ElementSource[];
}
