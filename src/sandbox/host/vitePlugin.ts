import type { Plugin } from 'vite';
import { bundleWorker } from './bundle.ts';
import { pythonImage } from './pythonImage.ts';
import { pythonModule } from './pythonModule.ts';

const NAME = 'virtual:python-worker';

/** Gives the page the Python worker's text and the address of its module, the same in the development server and in the build. */
export function pythonWorker(): Plugin {
  return {
    name: 'turnwise-python-worker',
    // An alias applies to the page's workers, too, which have no separate plugins.
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
