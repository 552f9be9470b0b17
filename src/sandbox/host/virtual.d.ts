declare module 'virtual:python.wasm?url' {
  /** Address of the interpreter's module, which marks what it writes. */
  const address: string;
  export default address;
}

declare module 'virtual:python.image?url' {
  /** Address of the image of a started interpreter, packed. */
  const address: string;
  export default address;
}

declare module 'virtual:python-worker' {
  /** The Python worker as one self-contained module. */
  const text: string;
  export default text;
}
