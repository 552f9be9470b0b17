/** Module that the plugin in elements.ts provides. */
declare module 'virtual:elements' {
  export const ELEMENTS: readonly import('./elements.ts').ElementSource[];
}
