/** Names that JavaScript and the interpreter need; every other global goes before the first program. */
const REQUIRED = new Set([
  'Array', 'ArrayBuffer', 'BigInt', 'BigInt64Array', 'BigUint64Array', 'Boolean', 'DataView', 'Date', 'Error', 'EvalError', 'Float32Array',
  'Float64Array', 'Infinity', 'Int16Array', 'Int32Array', 'Int8Array', 'JSON', 'Map', 'Math', 'NaN', 'Number', 'Object', 'Promise', 'Proxy',
  'RangeError', 'ReferenceError', 'Reflect', 'RegExp', 'Set', 'String', 'Symbol', 'SyntaxError', 'TextDecoder', 'TextEncoder', 'TypeError',
  'URIError', 'Uint16Array', 'Uint32Array', 'Uint8Array', 'Uint8ClampedArray', 'WeakMap', 'WeakRef', 'WeakSet', 'WebAssembly', 'globalThis',
  'undefined', 'isNaN', 'isFinite', 'parseInt', 'parseFloat', 'FinalizationRegistry',
]); // biome-ignore format: a list of words

/**
 * Members that the worker's event loop uses and that lead nowhere; browsers do not allow the removal of some of them.
 */
const refuse = () => {
  throw new TypeError('closed in the sandbox');
};

/**
 * Removes from the worker's realm everything that reaches the host: network, storage, process, timers, other workers,
 * messages, and the making of code from text. Python has no way into this realm; this function is for the case that a
 * way is discovered.
 * The rest is frozen: code that runs here later gets no other `Array` or `Map` than those of the start.
 */
export function lockDown(realm: object = globalThis): void {
  for (const sample of [() => {}, async () => {}, function* () {}, async function* () {}]) {
    Object.defineProperty(Object.getPrototypeOf(sample), 'constructor', {
      value: refuse,
      writable: false,
      configurable: false,
    });
  }
  for (
    let owner: object | null = realm;
    owner !== null && owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner)
  ) {
    for (const key of Reflect.ownKeys(owner)) {
      if (typeof key === 'symbol' || REQUIRED.has(key) || (owner !== realm && key === 'constructor')) continue;
      close(owner, key);
    }
  }
  const reached = new Set<object>();
  for (const name of REQUIRED) if (name !== 'globalThis') freeze(Reflect.get(realm, name), reached);
  // Those that have no name: of iterators, generators and typed arrays.
  for (const value of [
    [].values(),
    new Map().values(),
    new Set().values(),
    ''[Symbol.iterator](),
    ''.matchAll(/./g),
    function* () {},
    async () => {},
    async function* () {},
  ]) {
    freeze(Reflect.getPrototypeOf(value), reached);
  }
}

/** Freezes a value and whatever its properties and prototypes lead to. */
function freeze(value: unknown, reached: Set<object>): void {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || reached.has(value)) return;
  reached.add(value);
  const properties = Object.getOwnPropertyDescriptors(value);
  Object.freeze(value);
  for (const key of Reflect.ownKeys(properties)) {
    const { value: propertyValue, get, set } = Reflect.get(properties, key) as PropertyDescriptor;
    for (const part of [propertyValue, get, set]) freeze(part, reached);
  }
  freeze(Reflect.getPrototypeOf(value), reached);
}

function close(owner: object, key: string): void {
  const descriptor = Reflect.getOwnPropertyDescriptor(owner, key);
  if (descriptor?.configurable) {
    Reflect.deleteProperty(owner, key);
    Reflect.defineProperty(owner, key, { value: undefined, writable: false, configurable: false });
  } else if (descriptor?.writable) {
    Reflect.set(owner, key, undefined);
  }
}
