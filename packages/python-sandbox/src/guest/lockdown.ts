/** Globals that JavaScript and the interpreter require. All other globals are removed before the first program. */
const REQUIRED = new Set([
  'Array', 'ArrayBuffer', 'BigInt', 'BigInt64Array', 'BigUint64Array', 'Boolean', 'DataView', 'Date', 'Error', 'EvalError', 'Float32Array',
  'Float64Array', 'Infinity', 'Int16Array', 'Int32Array', 'Int8Array', 'JSON', 'Map', 'Math', 'NaN', 'Number', 'Object', 'Promise', 'Proxy',
  'RangeError', 'ReferenceError', 'Reflect', 'RegExp', 'Set', 'String', 'Symbol', 'SyntaxError', 'TextDecoder', 'TextEncoder', 'TypeError',
  'URIError', 'Uint16Array', 'Uint32Array', 'Uint8Array', 'Uint8ClampedArray', 'WeakMap', 'WeakRef', 'WeakSet', 'WebAssembly', 'globalThis',
  'undefined', 'isNaN', 'isFinite', 'parseInt', 'parseFloat', 'FinalizationRegistry',
]); // biome-ignore format: a list of words
/** Functions of all kinds, whose prototypes lead to the function constructors. */
const FUNCTIONS = [() => {}, async () => {}, function* () {}, async function* () {}];

/** Replacement of function constructors, which create code from text. */
const refuse = () => {
  throw new TypeError('closed in the sandbox');
};

/**
 * Removes all access to the host from the realm of the worker: network, storage, process, timers, other workers,
 * messages, and code from text. Python has no access to this realm; the removal limits the damage of an unknown
 * vulnerability. The remaining globals are frozen, so that later code cannot replace built-ins such as `Array` and
 * `Map`.
 */
export function lockDown(realm: object = globalThis): void {
  for (const sample of FUNCTIONS) {
    const prototype = Object.getPrototypeOf(sample);
    Object.defineProperty(prototype, 'constructor', { value: refuse, writable: false, configurable: false });
  }
  for (let owner: object | null = realm; owner && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const key of Reflect.ownKeys(owner)) {
      if (typeof key === 'symbol' || REQUIRED.has(key) || (owner !== realm && key === 'constructor')) continue;
      close(owner, key);
    }
  }
  const reached = new Set<object>();
  for (const name of REQUIRED) if (name !== 'globalThis') freeze(Reflect.get(realm, name), reached);
  // Prototypes without a name: of iterators, generators and async functions.
  const iterators = [[].values(), new Map().values(), new Set().values(), ''[Symbol.iterator](), ''.matchAll(/./g)];
  for (const value of [...iterators, ...FUNCTIONS]) freeze(Reflect.getPrototypeOf(value), reached);
}

/** Freezes a value and all values that are reachable through its properties and prototypes. */
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
