import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ENTRY = fileURLToPath(new URL('../../../workers/python.ts', import.meta.url));

/**
 * The Python worker as one self-contained script (Chromium starts no module in an opaque origin), Pyodide's JavaScript included: it is started from a text, so that it needs no address
 * from which it could load anything. The page's build and Node take the same one.
 */
export async function bundleWorker(): Promise<string> {
  const bundle = await rolldown({ input: ENTRY, platform: 'browser', external: [/^node:/, 'ws'], logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'iife', codeSplitting: false, comments: false });
  await bundle.close();
  if (output.length !== 1) throw new Error(`the Python worker is ${output.length} files instead of one`);
  return output[0].code;
}
