import type { Plugin } from 'vite';
import { compiledKernels } from './compile.ts';

/** Gives the page's workers the address of the compiled kernels: `import url from 'virtual:exact.wasm?url'`. */
export function exactKernels(): Plugin {
  return {
    name: 'turnwise-exact-kernels',
    // An alias also applies to workers of the page, which have no plugins.
    config: async () => ({
      resolve: { alias: [{ find: /^virtual:exact\.wasm/, replacement: await compiledKernels() }] },
    }),
  };
}
