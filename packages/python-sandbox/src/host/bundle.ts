import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

// The built terminal replaces this module (scripts/terminal.ts).

const SANDBOX = fileURLToPath(new URL('../', import.meta.url));
/** Source files that affect an image, in addition to the guest folder. */
const MAKERS = ['moduleLayout.ts', 'wasm.ts', 'host/imageFile.ts'];

/**
 * Bundles a worker as one self-contained script. Chromium starts no module worker in an opaque origin. The worker is
 * started from this text, so it needs no URL from which it could load code. The build of the page and Node use the same
 * bundle.
 */
export async function bundleWorker(name: 'python' | 'pythonImage' = 'python'): Promise<string> {
  const input = fileURLToPath(new URL(`../guest/${name}.ts`, import.meta.url));
  const bundle = await rolldown({ input, platform: 'browser', external: [/^node:/, 'ws'], logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'iife', codeSplitting: false, comments: false });
  await bundle.close();
  if (output.length !== 1) throw new Error(`the ${name} worker is ${output.length} files instead of one`);
  return output[0].code;
}

/** Returns the digest of the source files that affect an image of the interpreter (pythonFiles.ts). */
export function imageDigest(): string {
  const hash = createHash('sha256');
  const names = readdirSync(join(SANDBOX, 'guest')).filter((name) => name.endsWith('.ts'));
  for (const name of [...names.sort().map((name) => `guest/${name}`), ...MAKERS]) {
    hash.update(name).update(readFileSync(join(SANDBOX, name)));
  }
  return hash.digest('hex');
}
