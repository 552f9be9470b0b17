import { defaultDevice, init } from '@jax-js/jax';

/**
 * Enables jax-js on WebGPU in Node. jax-js officially supports WebGPU only in browsers: it reads `navigator.gpu` and
 * uses iterator helpers, which Node has since version 22.
 * @throws {Error} if jax-js offers no WebGPU backend
 */
export async function openJax(gpu: GPU): Promise<void> {
  const { hardwareConcurrency = 1, userAgent = 'Node' } = globalThis.navigator ?? {};
  const value = { gpu, hardwareConcurrency, userAgent };
  Object.defineProperty(globalThis, 'navigator', { value, configurable: true });
  await openBackend('webgpu');
}

/** Enables the WebAssembly backend of jax-js. @throws {Error} if jax-js does not offer it */
export function openJaxOnProcessor(): Promise<void> {
  return openBackend('wasm');
}

async function openBackend(name: 'webgpu' | 'wasm'): Promise<void> {
  shimIteratorHelpers();
  const devices = await init(name);
  if (!devices.includes(name)) throw new Error(`jax-js found no ${name} device`);
  defaultDevice(name);
}

function shimIteratorHelpers(): void {
  const prototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
  const helpers: Record<string, (this: Iterable<unknown>, ...args: never[]) => unknown> = {
    *map(change: (value: unknown) => unknown) {
      for (const value of this) yield change(value);
    },
    *filter(predicate: (value: unknown) => boolean) {
      for (const value of this) if (predicate(value)) yield value;
    },
    toArray() {
      return [...this];
    },
  };
  for (const [name, helper] of Object.entries(helpers)) {
    if (name in prototype) continue;
    Object.defineProperty(prototype, name, { value: helper, configurable: true, writable: true });
  }
}
