import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const folder = new URL('../../../workers/', import.meta.url);

/**
 * A worker as one self-contained script (Chromium starts no module in an opaque origin): it is started from a text, so that it needs no address
 * from which it could load anything. The page's build and Node take the same one.
 */
export async function bundleWorker(name: 'python' | 'pythonImage' = 'python'): Promise<string> {
  const input = fileURLToPath(new URL(`${name}.ts`, folder));
  const bundle = await rolldown({ input, platform: 'browser', external: [/^node:/, 'ws'], logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'iife', codeSplitting: false, comments: false });
  await bundle.close();
  if (output.length !== 1) throw new Error(`the ${name} worker is ${output.length} files instead of one`);
  return output[0].code;
}

/** A text as an address from which Node starts a worker. */
export function addressOf(code: string): URL {
  return new URL(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
}
