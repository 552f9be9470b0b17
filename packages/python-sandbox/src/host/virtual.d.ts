declare module 'virtual:python*' {
  /** URL of the interpreter's module or of its compressed image, or script of the worker (vitePlugin.ts). */
  const text: string;
  export default text;
}
