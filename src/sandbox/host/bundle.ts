import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

// The built terminal has another module in place of this one (scripts/terminal.ts).

const folder = new URL('../../../workers/', import.meta.url);
const SANDBOX = fileURLToPath(new URL('../', import.meta.url));
/** Files that make an image, in addition to the guest. */
const MAKERS = ['moduleLayout.ts', 'wasm.ts', 'host/imageFile.ts', '../../workers/pythonImage.ts'];

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

/** Returns the digest of the source files that decide an image of the interpreter (pythonImage.ts). */
export function imageDigest(): string {
  const hash = createHash('sha256');
  const names = readdirSync(join(SANDBOX, 'guest')).filter((name) => name.endsWith('.ts'));
  for (const name of [...names.sort().map((name) => `guest/${name}`), ...MAKERS]) {
    hash.update(name).update(readFileSync(join(SANDBOX, name)));
  }
  return hash.digest('hex');
}
