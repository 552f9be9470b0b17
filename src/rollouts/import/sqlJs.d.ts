/** Build of sql.js with inline WebAssembly, so that no separate .wasm file is loaded. */
declare module 'sql.js/dist/sql-wasm-inline.js' {
  export { default } from 'sql.js';
}
