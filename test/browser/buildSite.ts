import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildEnvironmentOptions, build } from 'vite';
import { root } from '../files.ts';

/**
 * Builds a page in production mode.
 * @param page HTML file at the root of the repository
 * @param folder output folder; its content is removed
 */
export function buildSite(page: 'index.html' | 'gallery.html', folder: string): Promise<void> {
  return buildInto(folder, { rolldownOptions: { input: join(root, page) } });
}

/**
 * Builds the scripted training worker.
 * @param folder output folder; its content is removed
 * @returns file name of the worker in the assets of the folder
 */
export async function buildScriptedWorker(folder: string): Promise<string> {
  const input = join(root, 'test/scripted/openWorker.ts');
  await buildInto(folder, { copyPublicDir: false, rolldownOptions: { input } });
  const script = readdirSync(join(folder, 'assets')).find((name) => /^scriptedWorker-.*\.js$/.test(name));
  if (!script) throw new Error(`the build of ${input} made no worker`);
  return script;
}

async function buildInto(folder: string, options: BuildEnvironmentOptions): Promise<void> {
  // Vitest sets NODE_ENV to test, which selects the development version of Lit.
  const mode = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    await build({
      ...{ root, mode: 'production', logLevel: 'warn' },
      build: { outDir: folder, emptyOutDir: true, ...options },
    });
  } finally {
    process.env.NODE_ENV = mode;
  }
}
