import type { Plugin } from 'vite';
import { bundleWorker } from './bundle.ts';
import { pythonImage, pythonModule } from './pythonFiles.ts';

const NAME = 'virtual:python-worker';

/** Provides the text of the Python worker and the URLs of its module and image to the page, also in development. */
export function pythonWorker(): Plugin {
  return {
    name: 'turnwise-python-worker',
    // Aliases also apply to the workers of the page, which have separate plugins.
    config: async () => ({
      resolve: {
        alias: [
          { find: /^virtual:python\.wasm/, replacement: pythonModule() },
          { find: /^virtual:python\.image/, replacement: (await pythonImage()).packed },
        ],
      },
    }),
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load: async (id) => (id === `\0${NAME}` ? `export default ${JSON.stringify(await bundleWorker())};` : undefined),
  };
}
