import type { Plugin } from 'vite';
import { compiledKernels } from '../../src/engine/exact/compile.ts';

/**
 * Creates a plugin that provides the address of the compiled kernels to the page's workers: `import url from
 * 'virtual:exact.wasm?url'`.
 */
export function exactKernels(): Plugin {
  return {
    name: 'turnwise-exact-kernels',
    // An alias also applies to workers of the page, which do not use the page's plugins.
    config: async () => ({
      resolve: { alias: [{ find: /^virtual:exact\.wasm/, replacement: await compiledKernels() }] },
    }),
  };
}
