/** The build of sql.js that holds its WebAssembly as text, so that no second file must be found. */
declare module 'sql.js/dist/sql-wasm-inline.js' {
  export { default } from 'sql.js';
}
