// Adds the service worker `offline.js` to the built page, next to index.html. The worker contains the list of built
// files.
import { join } from 'node:path';
import { root } from './dependencies.mjs';

const FILE = 'offline.js';
/** Maximum size of a listed file [bytes]. Larger files (the Python interpreter) are cached after their first use. */
const LARGEST = 1_000_000;

/** @param {string | Uint8Array} text */
const sizeOf = (text) => (typeof text === 'string' ? Buffer.byteLength(text) : text.byteLength);

/** @returns {import('vite').Plugin} */
export function offline() {
  return {
    name: 'turnwise-offline',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'chunk', id: join(root, 'workers/offline.ts'), fileName: FILE });
    },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const worker = bundle[FILE];
        if (worker?.type !== 'chunk') throw new Error(`the build made no ${FILE}`);
        if (worker.imports.length > 0) throw new Error(`${FILE} imports ${worker.imports}: it has to be one file`);
        const files = Object.entries(bundle)
          .filter(([name]) => name.startsWith('assets/') && !name.endsWith('.map'))
          .filter(([, file]) => sizeOf(file.type === 'chunk' ? file.code : file.source) <= LARGEST)
          .map(([name]) => name)
          .sort();
        worker.code = `const SITE_FILES = ${JSON.stringify(files)};\n${worker.code}`;
      },
    },
  };
}
