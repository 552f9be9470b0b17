declare module 'virtual:python.wasm?url' {
  /** URL of the interpreter's module, which marks its writes. */
  const address: string;
  export default address;
}

declare module 'virtual:python.image?url' {
  /** URL of the compressed image of a started interpreter. */
  const address: string;
  export default address;
}

declare module 'virtual:python-worker' {
  /** Text of the Python worker as one self-contained script. */
  const text: string;
  export default text;
}
